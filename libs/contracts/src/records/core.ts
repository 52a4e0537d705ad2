import Type, { type Static, type TObject, type TProperties } from 'typebox';

const NullableText = (maxLength: number) => Type.Union([Type.String({ maxLength }), Type.Null()]);
const NullableId = Type.Union([Type.String({ format: 'uuid' }), Type.Null()]);
const NullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

/** The fields of every record, whatever its object. */
const RecordHead = {
  id: Type.String({ format: 'uuid' }),
  version: Type.Integer({ minimum: 1 }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
};

function recordOf<T extends TProperties>(properties: T): TObject<typeof RecordHead & T> {
  return Type.Object({ ...RecordHead, ...properties }) as TObject<typeof RecordHead & T>;
}

export const LeadRecord = recordOf({
  firstName: NullableText(120),
  lastName: Type.String({ maxLength: 120 }),
  email: NullableText(254),
  phone: NullableText(40),
  companyName: NullableText(200),
  status: NullableText(40),
  source: NullableText(80),
  ownerId: NullableId,
});

export const ContactRecord = recordOf({
  firstName: NullableText(120),
  lastName: Type.String({ maxLength: 120 }),
  email: NullableText(254),
  phone: NullableText(40),
  companyId: NullableId,
});

export const CompanyRecord = recordOf({
  name: Type.String({ maxLength: 200 }),
  website: NullableText(2048),
  phone: NullableText(40),
});

export const OPPORTUNITY_STATUSES = ['open', 'won', 'lost'] as const;

export const OpportunityRecord = recordOf({
  name: Type.String({ maxLength: 200 }),
  amount: Type.Union([Type.Number(), Type.Null()]),
  currency: NullableText(3),
  stage: NullableText(80),
  status: Type.Enum(OPPORTUNITY_STATUSES),
  closeDate: Type.Union([Type.String({ format: 'date' }), Type.Null()]),
  companyId: NullableId,
  contactId: NullableId,
});

export const TASK_STATUSES = ['open', 'completed'] as const;

export const TaskRecord = recordOf({
  title: Type.String({ maxLength: 200 }),
  description: NullableText(4000),
  dueAt: NullableTime,
  status: Type.Enum(TASK_STATUSES),
  assigneeId: NullableId,
  relatedTo: NullableId,
});

export type LeadRecord = Static<typeof LeadRecord>;
export type ContactRecord = Static<typeof ContactRecord>;
export type CompanyRecord = Static<typeof CompanyRecord>;
export type OpportunityRecord = Static<typeof OpportunityRecord>;
export type TaskRecord = Static<typeof TaskRecord>;

/** Standard objects: plural API path, event domain and required scope. */
export const CORE_OBJECTS = {
  lead: { path: 'leads', domain: 'lead', scope: 'leads' },
  contact: { path: 'contacts', domain: 'contact', scope: 'contacts' },
  company: { path: 'companies', domain: 'company', scope: 'companies' },
  opportunity: { path: 'opportunities', domain: 'deal', scope: 'pipeline' },
  task: { path: 'tasks', domain: 'task', scope: 'tasks' },
} as const;

export type CoreObject = keyof typeof CORE_OBJECTS;
