import { hasScope, type Principal } from '@crm/access';
import { type FieldProblem, type Language, PlatformError, requireNoProblems, STAGE_MEANINGS } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from './object.repository.js';
import { type ObjectDefinition, type StoredField, scopeOf, standardObjectNamed } from './object-definition.js';
import {
  type ChangePipelineInput,
  type CreatePipelineInput,
  MAX_PIPELINES,
  MAX_STAGES,
  type OptionInput,
  type OptionsInput,
  type OptionsView,
  type PipelineView,
} from './picklist.dto.js';
import {
  labelOf,
  namedOptions,
  namedPipeline,
  nameOf,
  type ObjectSettings,
  type PicklistOption,
  type Pipeline,
  STAGE,
  STAGED_OBJECT,
} from './picklist.js';

/** A standard object as the tenant has it, whose definition nobody else changes until the transaction ends. */
interface Held {
  readonly tx: TenantTransaction;
  readonly object: ObjectDefinition;
}

/**
 * The options of standard picklists and the pipelines, which belong to the workspace. A change makes the object's models stale, so that
 * no write goes by what was before.
 */
@Injectable()
export class PicklistService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
  ) {}

  /** @throws NOT_FOUND when the picklist does not exist, or the caller does not have the scope of its object */
  async options(principal: Principal, apiName: string, field: string, language: Language = 'en'): Promise<OptionsView> {
    const object = await this.read(principal, apiName);
    return { options: views(object, field, language, optionsOf(object, field)) };
  }

  /** @throws NOT_FOUND; VALIDATION_FAILED naming what is wrong, and an option that records have and that is left out */
  replace(principal: Principal, apiName: string, name: string, { options: sent }: OptionsInput): Promise<OptionsView> {
    if (apiName === STAGED_OBJECT && name === STAGE) {
      throw new PlatformError('VALIDATION_FAILED', 'Change stages through their pipeline');
    }
    return this.change(principal, apiName, async ({ tx, object }) => {
      const before = optionsOf(object, name);
      const options = ordered(sent);
      requireNoProblems(duplicates(options, '/options'));
      await this.requireUnused({ tx, object }, name, before, options, '/options');
      const stored = namedOptions(apiName, name, options);
      await this.objects.saveSettings(tx, object, settingsOf(object, { picklists: { [name]: stored } }));
      return { options: views(object, name, 'en', stored) };
    });
  }

  /** @throws NOT_FOUND when the caller does not have the scope of deals */
  async pipelines(principal: Principal, language: Language = 'en'): Promise<PipelineView[]> {
    const object = await this.read(principal, STAGED_OBJECT);
    return pipelinesOf(object).map((pipeline) => pipelineView(object, pipeline, language));
  }

  /** @throws VALIDATION_FAILED */
  async create(principal: Principal, { name, stages }: CreatePipelineInput): Promise<PipelineView> {
    return this.change(principal, STAGED_OBJECT, async ({ tx, object }) => {
      const present = pipelinesOf(object);
      if (present.length >= MAX_PIPELINES) {
        throw new PlatformError('VALIDATION_FAILED', `A workspace can have up to ${MAX_PIPELINES} pipelines`);
      }
      const pipeline = { id: newId(), name, stages: ordered(stages) };
      return this.save({ tx, object }, pipeline, [...present, pipeline]);
    });
  }

  /** @throws NOT_FOUND; VALIDATION_FAILED, also for a stage that records are in and that is left out */
  async changePipeline(principal: Principal, id: string, changes: ChangePipelineInput): Promise<PipelineView> {
    return this.change(principal, STAGED_OBJECT, async ({ tx, object }) => {
      const present = pipelinesOf(object);
      const before = pipelineWithId(present, id);
      const { isNamedByCatalogue: _, ...plain } = before;
      const changed: Pipeline = {
        ...(changes.name === undefined ? before : { ...plain, name: changes.name }),
        stages: changes.stages ? ordered(changes.stages) : before.stages,
      };
      await this.requireUnused({ tx, object }, STAGE, before.stages, changed.stages, '/stages');
      return this.save(
        { tx, object },
        changed,
        present.map((pipeline) => (pipeline === before ? changed : pipeline)),
      );
    });
  }

  /** @throws NOT_FOUND; CONFLICT for the last one, and while records are in its stages */
  async delete(principal: Principal, id: string): Promise<void> {
    await this.change(principal, STAGED_OBJECT, async ({ tx, object }) => {
      const present = pipelinesOf(object);
      const pipeline = pipelineWithId(present, id);
      if (present.length === 1) throw new PlatformError('CONFLICT', 'A workspace needs at least one pipeline');
      const used = await this.usedOf({ tx, object }, STAGE, pipeline.stages);
      if (used.length > 0) {
        throw new PlatformError(
          'CONFLICT',
          `These stages are still used by records, including deleted ones: ${used.join(', ')}`,
        );
      }
      const pipelines = present.filter((one) => one !== pipeline);
      await this.objects.saveSettings(tx, object, settingsOf(object, { pipelines }));
    });
  }

  private async read(principal: Principal, apiName: string): Promise<ObjectDefinition> {
    const standard = standardOf(principal, apiName);
    return this.database.transaction(principal.tenantId, (tx) => this.objects.findStandard(tx, standard));
  }

  private change<T>(principal: Principal, apiName: string, work: (held: Held) => Promise<T>): Promise<T> {
    const standard = standardOf(principal, apiName);
    return this.database.transaction(principal, async (tx) => {
      await this.objects.lockDefinitions(tx);
      return work({ tx, object: await this.objects.findStandard(tx, standard) });
    });
  }

  private async save({ tx, object }: Held, changed: Pipeline, all: readonly Pipeline[]): Promise<PipelineView> {
    const others = all.filter((pipeline) => pipeline !== changed);
    if (all.reduce((sum, { stages }) => sum + stages.length, 0) > MAX_STAGES) {
      throw new PlatformError(
        'VALIDATION_FAILED',
        `A workspace can have up to ${MAX_STAGES} stages across all pipelines`,
      );
    }
    requireNoProblems([
      ...duplicates(
        changed.stages,
        '/stages',
        others.flatMap(({ stages }) => stages),
      ),
      ...(others.some(({ name }) => name === changed.name)
        ? [problem('/name', 'Another pipeline already has this name')]
        : []),
      ...STAGE_MEANINGS.filter(
        (meaning) => !changed.stages.some((stage) => stage.active && stage.meaning === meaning),
      ).map((meaning) => problem('/stages', `Add an active stage that means ${meaning}`)),
    ]);
    const pipelines = all.map(namedPipeline);
    await this.objects.saveSettings(tx, object, settingsOf(object, { pipelines }));
    return pipelineView(object, changed, 'en');
  }

  /** @throws VALIDATION_FAILED naming the options that are left out although records have them */
  private async requireUnused(
    held: Held,
    field: string,
    before: readonly PicklistOption[],
    after: readonly PicklistOption[],
    pointer: string,
  ): Promise<void> {
    const kept = new Set(after.map(({ value }) => value));
    const left = before.filter(({ value }) => !kept.has(value));
    const used = await this.usedOf(held, field, left);
    requireNoProblems(
      used.map((value) => ({
        pointer,
        code: 'IN_USE',
        detail: `"${value}" is still used by records, including deleted ones. Make it inactive instead`,
      })),
    );
  }

  private usedOf({ tx, object }: Held, field: string, options: readonly PicklistOption[]): Promise<string[]> {
    const stored = object.fields.find(({ apiName }) => apiName === field) as StoredField;
    const values = options.map(({ value }) => value);
    return this.objects.findUsed(tx, object.id, stored, values);
  }
}

const picklistNotFound = () => new PlatformError('NOT_FOUND', 'Picklist not found');

function standardOf(principal: Principal, apiName: string): ObjectDefinition {
  const standard = standardObjectNamed(apiName);
  if (!standard || !hasScope(principal, scopeOf(standard.id), 'read')) throw picklistNotFound();
  return standard;
}

function optionsOf({ picklists = {} }: ObjectDefinition, field: string): readonly PicklistOption[] {
  if (!Object.hasOwn(picklists, field)) throw picklistNotFound();
  return picklists[field] as readonly PicklistOption[];
}

const pipelinesOf = ({ pipelines = [] }: ObjectDefinition): readonly Pipeline[] => pipelines;

function pipelineWithId(pipelines: readonly Pipeline[], id: string): Pipeline {
  const found = pipelines.find((pipeline) => pipeline.id === id);
  if (!found) throw new PlatformError('NOT_FOUND', 'Pipeline not found');
  return found;
}

/** What is stored: everything that the workspace has, stages in their pipelines alone. */
function settingsOf({ picklists, pipelines }: ObjectDefinition, changes: ObjectSettings): ObjectSettings {
  const { [STAGE]: _, ...plain } = { ...picklists, ...changes.picklists };
  return { picklists: plain, ...(pipelines && { pipelines: changes.pipelines ?? pipelines }) };
}

/** In the order that they name; those that name none stay as they are sent. */
const ordered = <I extends OptionInput>(options: readonly I[]): (Omit<I, 'order' | 'active'> & { active: boolean })[] =>
  options
    .map((option, index) => ({ option, position: option.order ?? index }))
    .sort((one, other) => one.position - other.position)
    .map(({ option: { order: _, active = true, ...option } }) => ({ ...option, active }));

function duplicates(
  options: readonly PicklistOption[],
  pointer: string,
  others: readonly PicklistOption[] = [],
): FieldProblem[] {
  const taken = new Set(others.map(({ value }) => value));
  return options.flatMap(({ value }, index) => {
    if (taken.has(value)) return problem(`${pointer}/${index}/value`, `The option "${value}" already exists`);
    taken.add(value);
    return [];
  });
}

const problem = (pointer: string, detail: string): FieldProblem => ({ pointer, code: 'INVALID_VALUE', detail });

const views = <O extends PicklistOption>(
  { apiName }: ObjectDefinition,
  field: string,
  language: Language,
  options: readonly O[],
) =>
  options.map(({ isNamedByCatalogue, ...option }, order) => ({
    ...option,
    order,
    label: labelOf(apiName, field, { ...option, ...(isNamedByCatalogue && { isNamedByCatalogue }) }, language),
  }));

const pipelineView = (object: ObjectDefinition, pipeline: Pipeline, language: Language): PipelineView => ({
  id: pipeline.id,
  name: nameOf(pipeline, language),
  stages: views(object, STAGE, language, pipeline.stages),
});
