import Type from 'typebox';
import { AnyObject, closed, TextByName, textOr, textOrList } from './shapes.js';

export const Webhook = closed({
  events: Type.Array(Type.String()),
  url: Type.String(),
  description: Type.Optional(Type.String()),
});

export const Embed = closed({
  allowedOrigins: Type.Array(Type.String()),
  scopes: Type.Optional(Type.Array(Type.String())),
  linkUsersBy: Type.Optional(Type.Enum(['email', 'explicit'], { default: 'email' })),
});

export const Stream = closed({
  name: Type.String(),
  url: Type.String(),
  cursorField: Type.Optional(Type.String()),
  primaryKey: textOrList('The field or fields that identify a record of the source.'),
  destinationObject: Type.String(),
  mapping: TextByName,
});

export const Connector = closed({
  streams: Type.Array(Stream),
  pageSize: Type.Optional(Type.Integer()),
  schedule: Type.Optional(Type.String()),
  maxRetries: Type.Optional(Type.Integer()),
});

export const Tool = closed({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  inputSchema: AnyObject,
  scope: Type.Optional(Type.String()),
  readOnly: Type.Optional(Type.Boolean()),
  requiresConfirmation: Type.Optional(Type.Boolean()),
});

export const Assistant = closed({
  instructions: Type.Optional(Type.String()),
  tools: Type.Optional(Type.Array(Tool)),
  mcpServers: Type.Optional(
    Type.Array(
      textOr(
        closed({ name: Type.Optional(Type.String()), url: Type.String() }),
        'The URL of a server, or its name and URL.',
      ),
    ),
  ),
});

export const EventService = closed({
  consumes: Type.Optional(Type.Array(Type.String())),
  produces: Type.Optional(Type.Array(Type.String())),
});
