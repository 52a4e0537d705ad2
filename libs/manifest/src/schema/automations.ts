import { FIELD_TYPE_NAMES } from '@crm/fields';
import Type from 'typebox';
import { AnyObject, byType, closed, optionalText, TextByName, textOr, textOrList } from './objects.js';

/** Types of payload keys: those of fields except formulas, and `boolean` as in JSON. */
const PAYLOAD_TYPES = [...FIELD_TYPE_NAMES.filter((name) => name !== 'formula'), 'boolean'] as const;

/** On members that only such a trigger or action has, because the reference lists members, not types. */
const NOT_EXECUTED = 'Not supported yet; certification rejects it (`AUT-003`).';

const PayloadKey = closed({ name: Type.String({ examples: ['subject'] }), type: Type.Enum([...PAYLOAD_TYPES]) });

const Trigger = byType(
  [
    closed({ type: Type.Literal('webhook_received'), payload: Type.Optional(Type.Array(PayloadKey)) }),
    closed({
      type: Type.Literal('event'),
      event: Type.String({ examples: ['lead.created'] }),
      payload: Type.Optional(Type.Array(PayloadKey)),
    }),
    closed({
      type: Type.Literal('schedule'),
      cron: Type.String({ description: NOT_EXECUTED, examples: ['0 7 * * mon'] }),
      payload: Type.Optional(Type.Array(PayloadKey)),
    }),
  ],
  'What starts the automation.',
);

const key = optionalText({
  description: 'Names the step, so that later steps can use its result.',
  examples: ['visit'],
});
const object = Type.String({ examples: ['lead'] });
const values = Type.Unsafe<Record<string, unknown>>({ ...AnyObject, examples: [{ lastName: '{{subject}}' }] });

const Action = byType(
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
      description: optionalText(),
      dueInDays: Type.Optional(Type.Number()),
      assignee: optionalText(),
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
      to: textOrList(
        `Users of the workspace: an ID, the email address of a user, or \`role:<name>\`. ${NOT_EXECUTED}`,
        'role:admin',
      ),
      subject: Type.String({ examples: ['New visit'] }),
      text: Type.String({ examples: ['{{subject}} was requested.'] }),
    }),
    closed({
      type: Type.Literal('emit_event'),
      key,
      name: Type.String({ description: NOT_EXECUTED, examples: ['visit.requested'] }),
      data: Type.Optional(AnyObject),
    }),
    closed({ type: Type.Literal('wait'), key, seconds: Type.Number({ examples: [60] }) }),
  ],
  'One step.',
);

export const Automation = closed({
  key: Type.String({ examples: ['visit_requested'] }),
  name: optionalText({ examples: ['Visit requested'] }),
  trigger: Trigger,
  condition: optionalText({
    description: 'A formula over the top-level keys of the payload.',
    examples: ['LEN(subject) > 0'],
  }),
  actions: Type.Array(Action),
});

const eventPattern = Type.String({
  description: 'An event, or every event of a domain.',
  examples: ['lead.created', 'lead.*'],
});

export const Webhook = closed({
  events: Type.Array(eventPattern),
  url: Type.String({ examples: ['https://hooks.acme.example.com/events'] }),
  description: optionalText(),
});

export const Embed = closed({
  allowedOrigins: Type.Array(Type.String({ examples: ['https://app.acme.example.com'] })),
  scopes: Type.Optional(Type.Array(Type.String({ examples: ['custom_objects'] }))),
  linkUsersBy: Type.Optional(Type.Enum(['email', 'explicit'], { default: 'email' })),
});

/** For apps that act for users. The client id is the key of the app. */
export const OAuth = closed({
  redirectUris: Type.Array(Type.String({ examples: ['https://app.acme.example.com/callback'] })),
});

const Stream = closed({
  name: Type.String({ examples: ['customers'] }),
  url: Type.String({ examples: ['https://api.acme.example.com/customers'] }),
  cursorField: optionalText({ examples: ['updated_at'] }),
  primaryKey: textOrList('The field or fields that identify a record of the source.', 'id'),
  destinationObject: Type.String({ examples: ['contact'] }),
  mapping: Type.Unsafe<Record<string, string>>({ ...TextByName, examples: [{ mail: 'email' }] }),
});

export const Connector = closed({
  streams: Type.Array(Stream),
  pageSize: Type.Optional(Type.Integer()),
  schedule: optionalText({ examples: ['*/15 * * * *'] }),
  maxRetries: Type.Optional(Type.Integer()),
});

const Tool = closed({
  name: Type.String({ examples: ['find_leads'] }),
  description: optionalText({ examples: ['Finds leads by name.'] }),
  inputSchema: Type.Unsafe<Record<string, unknown>>({ ...AnyObject, examples: [{ type: 'object' }] }),
  scope: optionalText({ examples: ['leads:read'] }),
  readOnly: Type.Optional(Type.Boolean()),
  requiresConfirmation: Type.Optional(Type.Boolean()),
});

export const Assistant = closed({
  instructions: optionalText(),
  tools: Type.Optional(Type.Array(Tool)),
  mcpServers: Type.Optional(
    Type.Array(
      textOr(
        closed({
          name: optionalText(),
          url: Type.String({ examples: ['https://mcp.acme.example.com/'] }),
        }),
        'The URL of a server, or its name and URL.',
      ),
    ),
  ),
});

export const EventService = closed({
  consumes: Type.Optional(Type.Array(eventPattern)),
  produces: Type.Optional(Type.Array(Type.String({ examples: ['score.changed'] }))),
});
