import Type, { type Static } from 'typebox';

/**
 * CloudEvents 1.0 (JSON format) with the extensions `tenantid`, `traceparent` (distributed tracing extension),
 * `recordversion`, `actorkind`, `causeid`, `appkeys` and `installationid`. `id` is a UUIDv7, by which consumers recognise duplicates.
 */
export const EventEnvelope = Type.Object({
  specversion: Type.Literal('1.0'),
  id: Type.String({ format: 'uuid' }),
  source: Type.String(),
  type: Type.String(),
  subject: Type.Optional(Type.String()),
  time: Type.String({ format: 'date-time' }),
  datacontenttype: Type.Literal('application/json'),
  dataschema: Type.String(),
  tenantid: Type.String({ format: 'uuid' }),
  traceparent: Type.Optional(Type.String()),
  /** `internal` when a workflow run made the change, according to its token; a trace alone can be set by anyone. */
  actorkind: Type.Optional(Type.String()),
  /** A change by something `internal` has the id of its request, which for a workflow run is that of the run. */
  causeid: Type.Optional(Type.String()),
  /**
   * An event of a custom object has the keys of the apps that may see the object when it commits, separated by spaces. Of an
   * event of an endpoint: the key of the app that it belongs to, absent for one of the tenant. It decides who receives the
   * event and does not reach receivers, as `installationid` does.
   */
  appkeys: Type.Optional(Type.String()),
  /** The installation that the object or the endpoint belongs to; the first of `appkeys` is the key of its app. */
  installationid: Type.Optional(Type.String()),
  recordversion: Type.Optional(Type.Integer({ minimum: 1 })),
  data: Type.Record(Type.String(), Type.Unknown()),
});

export type EventEnvelope<Data = Record<string, unknown>> = Omit<Static<typeof EventEnvelope>, 'data'> & { data: Data };
