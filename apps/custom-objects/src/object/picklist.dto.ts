import { MAX_OPTION, STAGE_MEANINGS, type StageMeaning } from '@crm/contracts';
import { BooleanField, EnumField, IdField, IntegerField, ListField, TextField } from '@crm/http';

/** More than anybody offers: a workspace that had free texts has an option for each. */
export const MAX_OPTIONS = 2_000;
/** The limit counts stages of all pipelines. */
export const MAX_STAGES = 2_000;
export const MAX_PIPELINES = 20;

const VALUE = {
  maxLength: MAX_OPTION,
  example: 'contacted',
  description: 'Used in records, filters, and formulas. Never changes',
} as const;
const LABEL = { maxLength: MAX_OPTION, example: 'Contacted', description: 'The label that people see' } as const;
const ORDER = { minimum: 0, maximum: 10_000, description: 'Position in the list, from 0' } as const;
const ACTIVE = 'False for an inactive option: records that have it keep it, and no other record can get it';
const NAME = { maxLength: 100, example: 'Sales' } as const;
const PROBABILITY = { minimum: 0, maximum: 100, description: 'Probability of winning, in percent' } as const;
const MEANING = { description: 'The status of the deals in the stage' } as const;
const STAGES = {
  minItems: 1,
  maxItems: MAX_STAGES,
  description:
    'At least one active stage of each meaning. Values must be unique across all pipelines of the workspace, which can have up to 2,000 stages in total',
} as const;

export class OptionInput {
  @TextField({ ...VALUE, minLength: 1 }) value: string;
  @TextField({ ...LABEL, minLength: 1 }) label: string;
  @IntegerField({ ...ORDER, optional: true, description: 'Position in the list; the order of the request by default' })
  order?: number;
  @BooleanField({ optional: true, description: `${ACTIVE}; true by default` }) active?: boolean;
}

export class OptionsInput {
  @ListField(() => OptionInput, {
    maxItems: MAX_OPTIONS,
    description: 'All options. Options you leave out are removed',
  })
  options: OptionInput[];
}

export class PicklistOptionView {
  @TextField(VALUE) value: string;
  @TextField(LABEL) label: string;
  @IntegerField(ORDER) order: number;
  @BooleanField({ description: ACTIVE }) active: boolean;
}

export class OptionsView {
  @ListField(() => PicklistOptionView, { maxItems: MAX_OPTIONS, description: 'In order' })
  options: PicklistOptionView[];
}

export class StageInput extends OptionInput {
  @IntegerField(PROBABILITY) probability: number;
  @EnumField(STAGE_MEANINGS, MEANING) meaning: StageMeaning;
}

export class CreatePipelineInput {
  @TextField({ ...NAME, minLength: 1 }) name: string;
  @ListField(() => StageInput, STAGES) stages: StageInput[];
}

export class ChangePipelineInput {
  @TextField({ ...NAME, minLength: 1, optional: true }) name?: string;
  @ListField(() => StageInput, { ...STAGES, optional: true }) stages?: StageInput[];
}

export class StageView extends PicklistOptionView {
  @IntegerField(PROBABILITY) probability: number;
  @EnumField(STAGE_MEANINGS, MEANING) meaning: StageMeaning;
}

export class PipelineView {
  @IdField() id: string;
  @TextField(NAME) name: string;
  @ListField(() => StageView, { maxItems: MAX_STAGES, description: 'In order' }) stages: StageView[];
}

export class PipelineListView {
  @ListField(() => PipelineView, { maxItems: MAX_PIPELINES, description: 'New deals use the first one' })
  data: PipelineView[];
}
