import {
  CORE_OBJECTS,
  type CoreObject,
  DEFAULT_PIPELINE,
  LANGUAGES,
  type Language,
  type StageMeaning,
  type StandardField,
  type Texts,
} from '@crm/contracts';

/** An option as a workspace has it. */
export interface PicklistOption {
  /** Stands in records, filters and formulas, and never changes. */
  readonly value: string;
  readonly label: string;
  /** True when it can be chosen anew; a retired one stays in the records that have it. */
  readonly active: boolean;
  /** True when the label is that of the catalogue, which readers get in their language. */
  readonly isNamedByCatalogue?: true;
}

/** Options in their order, by the api-name of the field. */
export type Picklists = Readonly<Record<string, readonly PicklistOption[]>>;

export interface Stage extends PicklistOption {
  /** The probability of being won, in percent. */
  readonly probability: number;
  readonly meaning: StageMeaning;
}

export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly isNamedByCatalogue?: true;
  readonly stages: readonly Stage[];
}

/** What a workspace has changed of a standard object. */
export interface ObjectSettings {
  readonly picklists?: Picklists;
  readonly pipelines?: readonly Pipeline[];
}

/** The object whose records are in stages, and its field. */
export const STAGED_OBJECT = 'opportunity' satisfies CoreObject;
export const STAGE = 'stage';

const byCatalogue = (value: string, label: Texts) => ({
  value,
  label: label.en,
  active: true,
  isNamedByCatalogue: true as const,
});

const optionTexts = (apiName: string, field: string): Readonly<Record<string, Texts>> => {
  const fields: Readonly<Record<string, StandardField>> = CORE_OBJECTS[apiName as CoreObject].fields;
  const found = fields[field];
  return found && 'isOfWorkspace' in found ? found.options : {};
};

/** The picklists of a new workspace. */
export const defaultPicklists = (apiName: CoreObject): Record<string, readonly PicklistOption[]> =>
  Object.fromEntries(
    Object.keys(CORE_OBJECTS[apiName].fields).flatMap((field) => {
      const options = Object.entries(optionTexts(apiName, field));
      return options.length === 0 ? [] : [[field, options.map(([value, label]) => byCatalogue(value, label))]];
    }),
  );

/** The pipelines of a new workspace; undefined for an object whose records are in no stages. */
export const defaultPipelines = (apiName: CoreObject): Pipeline[] | undefined => {
  if (apiName !== STAGED_OBJECT) return undefined;
  const stages = Object.entries(DEFAULT_PIPELINE.stages).map(([value, { label, ...stage }]) => ({
    ...byCatalogue(value, label),
    ...stage,
  }));
  const { id, name } = DEFAULT_PIPELINE;
  return [{ id, name: name.en, isNamedByCatalogue: true, stages }];
};

const isOf = (texts: Texts | undefined, label: string): texts is Texts =>
  texts !== undefined && LANGUAGES.some((language) => texts[language] === label);

/** Options to store: a label that the catalogue gives in some language is given in every language. */
export const namedOptions = <O extends PicklistOption>(apiName: string, field: string, options: readonly O[]): O[] =>
  options.map((option) => {
    const texts = optionTexts(apiName, field)[option.value];
    return isOf(texts, option.label) ? { ...option, label: texts.en, isNamedByCatalogue: true } : option;
  });

export const namedPipeline = (pipeline: Pipeline): Pipeline => {
  const { id, name } = DEFAULT_PIPELINE;
  const isNamed = pipeline.id === id && isOf(name, pipeline.name);
  return {
    ...pipeline,
    ...(isNamed && { name: name.en, isNamedByCatalogue: true }),
    stages: namedOptions(STAGED_OBJECT, STAGE, pipeline.stages),
  };
};

/** The label of an option for a reader. */
export const labelOf = (
  apiName: string,
  field: string,
  { value, label, isNamedByCatalogue }: PicklistOption,
  language: Language,
): string => (isNamedByCatalogue && optionTexts(apiName, field)[value]?.[language]) || label;

/** The name of a pipeline for a reader. */
export const nameOf = ({ name, isNamedByCatalogue }: Pipeline, language: Language): string =>
  isNamedByCatalogue ? DEFAULT_PIPELINE.name[language] : name;
