import {
  OPERATOR_ACTS,
  OPERATOR_ROLES,
  OPERATOR_SUBJECTS,
  type OperatorAct,
  type OperatorRole,
  type OperatorSubject,
} from '@crm/contracts';
import {
  BooleanField,
  DateTimeField,
  EmailField,
  EnumField,
  IdField,
  IntegerField,
  JsonField,
  ListField,
  TextField,
} from '@crm/http';

/** What restricts the trail. */
export class AuditFilter {
  @IdField({ optional: true, description: 'The operator who acted' }) operatorId?: string;
  @EnumField(OPERATOR_ACTS, { optional: true }) act?: OperatorAct;
  @EnumField(OPERATOR_SUBJECTS, { optional: true }) subjectKind?: OperatorSubject;

  @TextField({ optional: true, minLength: 1, maxLength: 200, description: 'ID of the subject; for an app, its key' })
  subjectId?: string;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 200,
    description: "Text in the reason or the subject's name",
  })
  q?: string;

  @DateTimeField({ optional: true, description: 'At or after this time' }) from?: string;
  @DateTimeField({ optional: true, description: 'Before this time' }) to?: string;
}

export class AuditQuery extends AuditFilter {
  @IntegerField({ optional: true, minimum: 1, maximum: 200, description: 'Entries per page; 25 by default' })
  size?: number;

  @TextField({ optional: true, minLength: 1, maxLength: 1000, description: '`nextCursor` of the previous page' })
  cursor?: string;
}

/** `ndjson`: an entry a line, as the list shows it. `csv`: for spreadsheets. */
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;

export class AuditExportQuery extends AuditFilter {
  @EnumField(EXPORT_FORMATS, { optional: true, description: '`ndjson` by default' })
  format?: (typeof EXPORT_FORMATS)[number];
}

/** What an operator did. */
export class AuditEntryView {
  @IdField() id: string;
  @DateTimeField() at: string;

  @IdField({ nullable: true, description: 'Null for acts of the program on the server' })
  operatorId: string | null;

  @EmailField({ nullable: true, description: "The operator's current name" }) operatorEmail: string | null;

  @EnumField(OPERATOR_ROLES, { nullable: true, description: "The operator's role at that time" })
  role: OperatorRole | null;

  @EnumField(OPERATOR_ACTS) act: OperatorAct;
  @EnumField(OPERATOR_SUBJECTS) subjectKind: OperatorSubject;
  @TextField({ maxLength: 200 }) subjectId: string;

  @TextField({ maxLength: 500, nullable: true, description: 'App and version, address of the operator, …' })
  subjectName: string | null;

  @TextField({ maxLength: 2000, nullable: true }) reason: string | null;

  @JsonField({ nullable: true, description: 'What the operator saw' })
  findings: Record<string, unknown> | null;

  @JsonField({ nullable: true }) before: Record<string, unknown> | null;
  @JsonField({ nullable: true }) after: Record<string, unknown> | null;
}

/** The trail is not counted: it only grows. */
export class AuditListView {
  @ListField(() => AuditEntryView, { maxItems: 200 }) data: AuditEntryView[];
  @IntegerField() size: number;
  @BooleanField() hasMore: boolean;
  @TextField({ maxLength: 1000, nullable: true }) nextCursor: string | null;
}
