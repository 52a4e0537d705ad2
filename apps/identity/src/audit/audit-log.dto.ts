import { DateTimeField, EnumField, IdField, JsonField, ListQuery, ObjectField, TextField } from '@crm/http';
import {
  AUDIT_ACTION_NAMES,
  AUDIT_ACTIONS,
  AUDIT_ACTOR_KINDS,
  AUDIT_OUTCOMES,
  AUDIT_SUBJECT_KINDS,
  type AuditAction,
  type AuditOutcome,
} from './audit-actions.js';
import type { AuditDetail } from './audit-entry.entity.js';

/** Every action with its description, for the documentation of the routes: a Markdown table. */
export const ACTION_TABLE = [
  '| action | |',
  '|---|---|',
  ...Object.entries(AUDIT_ACTIONS).map(([name, description]) => `| \`${name}\` | ${description} |`),
].join('\n');

const LONGEST_ID = 300;

const ACTION = { optional: true, description: 'Only this action', example: 'sign_in.failed' };
const ACTOR = {
  optional: true,
  maxLength: LONGEST_ID,
  description: 'Only acts of this user, service account, operator (ID), or app (key)',
};
const SUBJECT = { optional: true, maxLength: LONGEST_ID, description: 'Only entries about this ID, such as a user' };
const FROM = { optional: true, description: 'Only at or after this time', example: '2026-03-01T00:00:00.000Z' };
const TO = { optional: true, description: 'Only before this time', example: '2026-04-01T00:00:00.000Z' };

export class AuditQuery extends ListQuery {
  @EnumField(AUDIT_ACTION_NAMES, ACTION) action?: AuditAction;
  @TextField({ ...ACTOR, minLength: 1 }) actor?: string;
  @TextField({ ...SUBJECT, minLength: 1 }) subject?: string;
  @EnumField(AUDIT_OUTCOMES, { optional: true }) outcome?: AuditOutcome;
  @DateTimeField(FROM) from?: string;
  @DateTimeField(TO) to?: string;
}

/** Formats of an export. */
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Days that one export covers at most. */
export const MAX_EXPORT_DAYS = 100;

export class AuditExportQuery {
  @EnumField(EXPORT_FORMATS, {
    optional: true,
    description: '`ndjson`, the default: one entry per line',
    example: 'csv',
  })
  format?: ExportFormat;

  @EnumField(AUDIT_ACTION_NAMES, ACTION) action?: AuditAction;
  @TextField({ ...ACTOR, minLength: 1 }) actor?: string;
  @TextField({ ...SUBJECT, minLength: 1 }) subject?: string;
  @EnumField(AUDIT_OUTCOMES, { optional: true }) outcome?: AuditOutcome;
  @DateTimeField({ ...FROM, optional: false, description: 'From this time on' }) from: string;

  @DateTimeField({
    ...TO,
    optional: false,
    description: `Before this time; up to ${MAX_EXPORT_DAYS} days after \`from\``,
  })
  to: string;
}

export class AuditActorView {
  @EnumField(AUDIT_ACTOR_KINDS, {
    description: '`system`: the platform itself, or an unauthenticated caller',
    example: 'user',
  })
  kind: string;

  @TextField({
    maxLength: LONGEST_ID,
    nullable: true,
    description: 'ID of the user, service account, or operator, or key of the app',
    example: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17',
  })
  id: string | null;

  @TextField({
    maxLength: 200,
    nullable: true,
    description: 'Name of an existing user; null after a permanent deletion',
    example: 'Grace Hopper',
  })
  name: string | null;
}

export class AuditSubjectView {
  @EnumField(AUDIT_SUBJECT_KINDS) kind: string;
  @TextField({ maxLength: LONGEST_ID, example: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17' }) id: string;

  @TextField({ maxLength: 200, nullable: true, description: 'Name of an existing user', example: 'Grace Hopper' })
  name: string | null;
}

/** An act of authentication or administration. */
export class AuditEntryView {
  @IdField() id: string;
  @DateTimeField() at: string;
  @EnumField(AUDIT_ACTION_NAMES, { example: 'sign_in.failed' }) action: AuditAction;
  @EnumField(AUDIT_OUTCOMES) outcome: AuditOutcome;
  @ObjectField(() => AuditActorView) actor: AuditActorView;
  @ObjectField(() => AuditSubjectView, { nullable: true }) subject: AuditSubjectView | null;

  @TextField({ maxLength: 64, nullable: true, description: 'Where the call came from', example: '198.51.100.7' })
  address: string | null;

  @TextField({ maxLength: 60, nullable: true, description: 'As stated by the caller', example: 'Firefox on Linux' })
  device: string | null;

  @TextField({
    maxLength: 200,
    nullable: true,
    description:
      "The platform's ID of the call: `requestId` in problems, and `X-Request-Id` in responses to clients that send none",
    example: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17',
  })
  requestId: string | null;

  @JsonField({ description: 'Details that depend on the action', example: { reason: 'password' } })
  detail: AuditDetail;
}
