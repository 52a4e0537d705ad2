import Type from 'typebox';
import { AnyObject, closed, TextByName, textOr, textOrList } from './shapes.js';

const eventPattern = Type.String({
  description: 'An event, or every event of a domain.',
  examples: ['lead.created', 'lead.*'],
});

export const Webhook = closed({
  events: Type.Array(eventPattern),
  url: Type.String({ examples: ['https://hooks.acme.example.com/events'] }),
  description: Type.Optional(Type.String()),
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

export const Stream = closed({
  name: Type.String({ examples: ['customers'] }),
  url: Type.String({ examples: ['https://api.acme.example.com/customers'] }),
  cursorField: Type.Optional(Type.String({ examples: ['updated_at'] })),
  primaryKey: textOrList('The field or fields that identify a record of the source.', 'id'),
  destinationObject: Type.String({ examples: ['contact'] }),
  mapping: Type.Unsafe<Record<string, string>>({ ...TextByName, examples: [{ mail: 'email' }] }),
});

export const Connector = closed({
  streams: Type.Array(Stream),
  pageSize: Type.Optional(Type.Integer()),
  schedule: Type.Optional(Type.String({ examples: ['*/15 * * * *'] })),
  maxRetries: Type.Optional(Type.Integer()),
});

export const Tool = closed({
  name: Type.String({ examples: ['find_leads'] }),
  description: Type.Optional(Type.String({ examples: ['Finds leads by name.'] })),
  inputSchema: Type.Unsafe<Record<string, unknown>>({ ...AnyObject, examples: [{ type: 'object' }] }),
  scope: Type.Optional(Type.String({ examples: ['leads:read'] })),
  readOnly: Type.Optional(Type.Boolean()),
  requiresConfirmation: Type.Optional(Type.Boolean()),
});

export const Assistant = closed({
  instructions: Type.Optional(Type.String()),
  tools: Type.Optional(Type.Array(Tool)),
  mcpServers: Type.Optional(
    Type.Array(
      textOr(
        closed({
          name: Type.Optional(Type.String()),
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
