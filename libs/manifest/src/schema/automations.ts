import { FIELD_TYPE_NAMES } from '@crm/fields';
import Type from 'typebox';
import { AnyObject, byType, closed, TextByName, textOrList } from './shapes.js';

/** Types of payload keys: those of fields except formulas, and `boolean` as in JSON. */
export const PAYLOAD_TYPES = [...FIELD_TYPE_NAMES.filter((name) => name !== 'formula'), 'boolean'] as const;

export const PayloadKey = closed({ name: Type.String({ examples: ['subject'] }), type: Type.Enum([...PAYLOAD_TYPES]) });

export const Trigger = byType(
  [
    closed({ type: Type.Literal('webhook_received'), payload: Type.Optional(Type.Array(PayloadKey)) }),
    closed({
      type: Type.Literal('event'),
      event: Type.String({ examples: ['lead.created'] }),
      payload: Type.Optional(Type.Array(PayloadKey)),
    }),
    closed({
      type: Type.Literal('schedule'),
      cron: Type.String({ examples: ['0 7 * * mon'] }),
      payload: Type.Optional(Type.Array(PayloadKey)),
    }),
  ],
  'What starts the automation.',
);

const key = Type.Optional(
  Type.String({ description: 'Names the step, so that later steps can use its result.', examples: ['visit'] }),
);
const object = Type.String({ examples: ['lead'] });
const values = Type.Unsafe<Record<string, unknown>>({ ...AnyObject, examples: [{ lastName: '{{subject}}' }] });

export const Action = byType(
  [
    closed({ type: Type.Literal('create_record'), key, object, values }),
    closed({
      type: Type.Literal('update_record'),
      key,
      object,
      id: Type.String({ examples: ['{{record.id}}'] }),
      values,
    }),
    closed({
      type: Type.Literal('create_task'),
      key,
      title: Type.String({ examples: ['Call {{subject}}'] }),
      description: Type.Optional(Type.String()),
      dueInDays: Type.Optional(Type.Number()),
      assignee: Type.Optional(Type.String()),
    }),
    closed({
      type: Type.Literal('http_request'),
      key,
      url: Type.String({ examples: ['https://api.acme.example.com/visits'] }),
      method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])),
      headers: Type.Optional(TextByName),
      body: Type.Optional(Type.Unknown()),
    }),
    closed({
      type: Type.Literal('send_email'),
      key,
      to: textOrList('Users of the workspace: an id, the e-mail address of a user, or `role:<name>`.', 'role:admin'),
      subject: Type.String({ examples: ['New visit'] }),
      text: Type.String({ examples: ['{{subject}} was requested.'] }),
    }),
    closed({
      type: Type.Literal('emit_event'),
      key,
      name: Type.String({ examples: ['visit.requested'] }),
      data: Type.Optional(AnyObject),
    }),
    closed({ type: Type.Literal('wait'), key, seconds: Type.Number({ examples: [60] }) }),
  ],
  'One step.',
);

export const Automation = closed({
  key: Type.String({ examples: ['visit_requested'] }),
  name: Type.Optional(Type.String({ examples: ['Visit requested'] })),
  trigger: Trigger,
  condition: Type.Optional(
    Type.String({ description: 'A formula over the top-level keys of the payload.', examples: ['LEN(subject) > 0'] }),
  ),
  actions: Type.Array(Action),
});
