import { hasScope, type Principal, requireScope } from '@crm/access';
import { type CoreObject, invalidValues, PlatformError } from '@crm/contracts';
import { IdempotencyService, type IdempotentCall, type TenantTransaction } from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { Injectable } from '@nestjs/common';
import { scopeOf } from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore, StaleModel } from '../object/object-model.js';
import { type FieldValues, recordNotFound, type StoredRecord, valuesOf } from '../reading/record.js';
import { RecordRepository } from '../reading/record.repository.js';
import { RecordWriteRepository } from '../writing/record-write.repository.js';
import { type Creation, RecordWriteService } from '../writing/record-write.service.js';
import type { ConversionView, ConvertLeadInput } from './lead-conversion.dto.js';
import { RecordService } from './record.service.js';

const OBJECTS = ['lead', 'contact', 'company', 'opportunity'] as const satisfies readonly CoreObject[];
type Models = Readonly<Record<(typeof OBJECTS)[number], ObjectModel>>;

/** What is decided before the transaction. */
interface Prepared {
  readonly lead: StoredRecord;
  /** In the order in which they refer to each other. */
  readonly creations: readonly Creation[];
  /** An existing contact that has no company takes that of the lead. */
  readonly contactChange?: { readonly id: string; readonly version: number; readonly changes: FieldValues };
  /** The changes of the lead. */
  readonly changes: FieldValues;
}

interface Call {
  readonly caller: Principal;
  readonly models: Models;
  readonly clock: EvaluationContext;
}

/** Makes a contact, a company and an opportunity of a lead. */
@Injectable()
export class LeadConversionService {
  constructor(
    private readonly store: ObjectModelStore,
    private readonly stored: RecordRepository,
    private readonly rows: RecordWriteRepository,
    private readonly records: RecordService,
    private readonly writes: RecordWriteService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * @param call identifies the call, so that a repetition finds what the first one made
   * @throws NOT_FOUND, INSUFFICIENT_SCOPE, FIELD_ACCESS_DENIED, VALIDATION_FAILED, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; CONFLICT
   *   for a lead that is converted
   */
  async convert(
    caller: Principal,
    id: string,
    input: ConvertLeadInput,
    call?: IdempotentCall,
  ): Promise<ConversionView> {
    const clock = await this.records.clock(caller);
    const callOf = ([lead, contact, company, opportunity]: readonly ObjectModel[]): Call => ({
      ...{ caller, clock },
      models: { lead, contact, company, opportunity } as Models,
    });
    const attempt = () =>
      this.store.decideWrites(
        caller,
        OBJECTS,
        (models) => this.prepare(callOf(models), id, input),
        (models, prepared) => this.write(callOf(models), prepared, call),
      );
    return this.records.orEarlier(caller, 'lead', call, attempt, conversionOf);
  }

  private async prepare(call: Call, id: string, input: ConvertLeadInput): Promise<Prepared> {
    const { caller, models } = call;
    const wanted = opportunityOf(input.createOpportunity);
    const lead = await this.find(call, 'lead', id);
    if (!lead) throw recordNotFound();
    if (input.contactId === undefined) requireScope(caller, 'contacts', 'write');
    if (wanted) requireScope(caller, 'pipeline', 'write');
    const values = readableValues(caller, models.lead, lead);
    if ((lead.data[models.lead.fieldsByName.get('convertedContactId')?.key ?? ''] ?? null) !== null) {
      throw new PlatformError('CONFLICT', 'The lead has already been converted');
    }
    const contact = await this.findNamed(call, 'contact', input.contactId);
    const named = await this.findNamed(call, 'company', input.companyId);
    const ofContact = contact ? (readableValues(caller, models.contact, contact).companyId ?? null) : null;
    const known = named?.id ?? (hasScope(caller, 'companies', 'read') ? ofContact : null);

    const creations: Creation[] = [];
    const create = async (object: keyof Models, carried: FieldValues, given: FieldValues = {}) => {
      const model = models[object];
      const { writable } = model.planFor(caller.roles);
      const own = Object.entries(carried).filter(([name, value]) => value !== null && writable.has(name));
      const body = { ...Object.fromEntries(own), ...given };
      const creation = await this.records.prepareCreation({ ...call, model }, body);
      creations.push(creation);
      return creation.draft.record.id;
    };
    const { companyName } = values;
    const sameOf = (object: keyof Models) => sameFields(models[object], values);
    const makesCompany = known === null && typeof companyName === 'string';
    if (makesCompany) requireScope(caller, 'companies', 'write');
    const companyId = makesCompany
      ? // The lead's number is the person's: a company does not take it.
        await create('company', { ...sameOf('company'), phone: null, name: companyName })
      : known;
    const contactId = contact?.id ?? (await create('contact', { ...sameOf('contact'), companyId }));
    const name = companyName ?? [values.firstName, values.lastName].filter(Boolean).join(' ');
    const carried = { name, ownerId: values.ownerId ?? null, companyId, contactId };
    const opportunityId = wanted
      ? await within('/createOpportunity', () => create('opportunity', carried, wanted))
      : null;
    const mayChange =
      hasScope(caller, 'contacts', 'write') && models.contact.planFor(caller.roles).writable.has('companyId');
    const lacksCompany = contact !== null && companyId !== null && ofContact === null && mayChange;
    return {
      ...{ lead, creations },
      ...(lacksCompany && { contactChange: { id: contactId, version: contact.version, changes: { companyId } } }),
      changes: {
        convertedContactId: contactId,
        convertedCompanyId: companyId,
        convertedOpportunityId: opportunityId,
      },
    };
  }

  private write(call: Call, prepared: Prepared, idempotent: IdempotentCall | undefined): Promise<ConversionView> {
    const { caller, models } = call;
    return this.store.transaction(caller, Object.values(models), async (tx) => {
      const find = (id: string) => this.stored.require(tx, models.lead.object.id, id);
      const lead = await this.idempotency.run(tx, idempotent, () => this.writeIn(tx, call, prepared), find);
      return conversionOf(models.lead, lead);
    });
  }

  /** @returns the lead */
  private async writeIn(
    tx: TenantTransaction,
    { caller, models, clock }: Call,
    { lead, creations, contactChange, changes }: Prepared,
  ): Promise<StoredRecord> {
    const locks = [
      { model: models.lead, id: lead.id },
      ...(contactChange ? [{ model: models.contact, id: contactChange.id }] : []),
    ];
    for (const { model, id } of locks.sort((one, other) => (one.id < other.id ? -1 : 1))) {
      const locked = await this.rows.lock(tx, model.object.id, id);
      // What was decided relied on another version: it is decided again.
      if (locked?.version !== (id === lead.id ? lead.version : contactChange?.version)) throw new StaleModel();
    }
    for (const creation of creations) await this.writes.createIn(tx, creation);
    if (contactChange) {
      const { id, changes: ofContact } = contactChange;
      await this.writes.changeIn(tx, { model: models.contact, caller, clock, id, changes: ofContact, expected: null });
    }
    // The caller may name what they may not read of the contact.
    return this.writes.setIn({ tx, caller, clock }, models.lead, lead.id, changes);
  }

  private async find({ caller, models }: Call, object: keyof Models, id: string): Promise<StoredRecord | null> {
    return (await this.stored.read(caller.tenantId, models[object].object.id, id)).result;
  }

  /** An existing record that the lead becomes. @throws INSUFFICIENT_SCOPE, VALIDATION_FAILED */
  private async findNamed(
    call: Call,
    object: 'contact' | 'company',
    id: string | undefined,
  ): Promise<StoredRecord | null> {
    if (id === undefined) return null;
    requireScope(call.caller, scopeOf(call.models[object].object.id), 'read');
    const record = await this.find(call, object, id);
    if (record) return record;
    const problem = { code: 'REFERENCE_NOT_FOUND', detail: "The record doesn't exist" };
    throw invalidValues({ pointer: `/${object}Id`, ...problem });
  }
}

/** @throws VALIDATION_FAILED */
function opportunityOf(input: unknown): FieldValues | null {
  if (input === undefined || input === null || input === false) return null;
  if (input === true) return {};
  if (typeof input === 'object' && !Array.isArray(input)) return input as FieldValues;
  const problem = { code: 'INVALID_TYPE', detail: 'Must be a boolean or an object' };
  throw invalidValues({ pointer: '/createOpportunity', ...problem });
}

function readableValues(caller: Principal, model: ObjectModel, { data }: StoredRecord): FieldValues {
  const { readable } = model.planFor(caller.roles);
  return Object.fromEntries(Object.entries(valuesOf(model, data)).filter(([name]) => readable.has(name)));
}

/** The values of fields that have the same name and type in both objects. */
const sameFields = ({ object }: ObjectModel, values: FieldValues): FieldValues =>
  Object.fromEntries(
    object.fields.flatMap(({ apiName }) => (Object.hasOwn(values, apiName) ? [[apiName, values[apiName]]] : [])),
  );

/** @throws NOT_FOUND when the contact has been deleted since */
function conversionOf(model: ObjectModel, { data }: StoredRecord): ConversionView {
  const { convertedContactId, convertedCompanyId, convertedOpportunityId } = valuesOf(model, data);
  if (typeof convertedContactId !== 'string') throw recordNotFound();
  return {
    contactId: convertedContactId,
    companyId: convertedCompanyId as string | null,
    ...(typeof convertedOpportunityId === 'string' && { opportunityId: convertedOpportunityId }),
  };
}

/** Problems of a part of the body, named as the body has them. */
async function within<T>(pointer: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PlatformError) || !error.extra.errors) throw error;
    const errors = error.extra.errors.map((problem) => ({ ...problem, pointer: `${pointer}${problem.pointer}` }));
    throw new PlatformError(error.code, error.message, { ...error.extra, errors });
  }
}
