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
  description: 'Only of this user, service account, operator (id) or app (key)',
};
const SUBJECT = { optional: true, maxLength: LONGEST_ID, description: 'Only about what has this id, such as a user' };
const FROM = { optional: true, description: 'Only from this time on', example: '2026-03-01T00:00:00.000Z' };
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
    description: `Before this time; at most ${MAX_EXPORT_DAYS} days after \`from\``,
  })
  to: string;
}

export class AuditActorView {
  @EnumField(AUDIT_ACTOR_KINDS, {
    description: '`system`: the platform itself, or somebody who has not proven who they are',
    example: 'user',
  })
  kind: string;

  @TextField({
    maxLength: LONGEST_ID,
    nullable: true,
    description: 'Id of the user, service account or operator, key of the app',
    example: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17',
  })
  id: string | null;

  @TextField({
    maxLength: 200,
    nullable: true,
    description: 'Of a user who is still there; null also for one who was erased',
    example: 'Grace Hopper',
  })
  name: string | null;
}

export class AuditSubjectView {
  @EnumField(AUDIT_SUBJECT_KINDS) kind: string;
  @TextField({ maxLength: LONGEST_ID, example: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17' }) id: string;

  @TextField({ maxLength: 200, nullable: true, description: 'Of a user who is still there', example: 'Grace Hopper' })
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

  @TextField({ maxLength: 60, nullable: true, description: 'As the caller says', example: 'Firefox on Linux' })
  device: string | null;

  @TextField({
    maxLength: 200,
    nullable: true,
    description:
      'Id that the platform gave the call: the `requestId` of its problem, and the `X-Request-Id` of the answer to a client that sends none',
    example: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17',
  })
  requestId: string | null;

  @JsonField({ description: 'Further facts; which ones depends on the action', example: { reason: 'password' } })
  detail: AuditDetail;
}
