import {
  CONSUMERS,
  type ConsumerDefinition,
  domainOf,
  ERASURE_CONSUMER,
  EVENT_STREAM,
  EVENTS,
  NOTICES,
  type NoticeDefinition,
  RPC_CONTRACTS,
  SERVICES,
  type ServiceName,
} from '@crm/contracts';
import {
  inboxPrefix,
  MAX_PARTS,
  REVOCATION_STREAM,
  REVOCATION_SUBJECT_PREFIX,
  wakeUpSubject,
} from '../broker-names.js';

/** Every NATS user: one for each service, and the one that creates streams and consumers. */
export const NATS_USERS = [...SERVICES, 'provisioner'] as const;
export type NatsUser = (typeof NATS_USERS)[number];

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** How often it may publish to the reply subject of a received message: once for each call that a message may carry. */
  readonly responses: number;
}

/** Exactly what a user may do, derived from the calls, events and consumers of the contracts. */
export function permissionsOf(user: NatsUser): Permissions {
  const inbox = `${inboxPrefix(user)}.>`;
  if (user === 'provisioner') return { publish: ['$JS.API.>'], subscribe: [inbox], responses: 0 };
  const contracts = RPC_CONTRACTS.filter((contract) => contract.server === user);
  const served = contracts.map((contract) => contract.subject);
  const notices = noticesOf(user);
  return {
    publish: [
      ...notices,
      ...calls(user),
      ...produces(user),
      ...wakeUps(user),
      ...consumes(user),
      ...erases(user),
      ...watchesRevocations(),
      ...revokes(user),
    ].sort(),
    subscribe: [inbox, ...notices, ...served, ...wakeUps(user)].sort(),
    responses: Math.max(0, ...contracts.map(({ batched }) => (batched ? MAX_PARTS : 1))),
  };
}

const calls = (service: ServiceName): string[] =>
  RPC_CONTRACTS.filter((contract) => contract.callers.includes(service)).map((contract) => contract.subject);

function noticesOf(service: ServiceName): string[] {
  const definitions: readonly NoticeDefinition[] = Object.values(NOTICES);
  return definitions.filter((notice) => notice.service === service).map(({ subject }) => subject);
}

/** `events.<domain>.<action>.<bucket>` of the events it produces, and reading the last of them, to see what a stream has lost. */
const produces = (service: ServiceName): string[] =>
  Object.values(EVENTS)
    .filter((event) => event.producer === service)
    .map((event) => `events.${event.name}.*`)
    .flatMap((subject) => [subject, `$JS.API.DIRECT.GET.${EVENT_STREAM.name}.${subject}`]);

const wakeUps = (service: ServiceName): string[] => (produces(service).length > 0 ? [wakeUpSubject(service)] : []);

function consumes(service: ServiceName): string[] {
  const definitions: readonly ConsumerDefinition[] = Object.values(CONSUMERS);
  return definitions
    .filter((consumer) => consumer.service === service)
    .flatMap(({ durable }) => [
      `$JS.API.CONSUMER.INFO.${EVENT_STREAM.name}.${durable}`,
      `$JS.API.CONSUMER.MSG.NEXT.${EVENT_STREAM.name}.${durable}`,
      `$JS.ACK.${EVENT_STREAM.name}.${durable}.>`,
      // To see how old the oldest event is that it has not acknowledged. The broker cannot narrow this to some subjects; of
      // the consumers all receive every event but identity, which could sign a token for anything anyway.
      `$JS.API.DIRECT.GET.${EVENT_STREAM.name}`,
      // To see how large the stream is.
      `$JS.API.STREAM.INFO.${EVENT_STREAM.name}`,
    ]);
}

/** The consumer can be made with filters on events that the service produces. What is removed is named by number, so any event could be. */
function erases(service: ServiceName): string[] {
  const { name } = ERASURE_CONSUMER;
  if (service !== ERASURE_CONSUMER.service) return [];
  const domains = new Set(
    Object.values(EVENTS)
      .filter(({ producer }) => producer === service)
      .map((event) => domainOf(event.name)),
  );
  return [
    ...[...domains].map((domain) => `$JS.API.CONSUMER.CREATE.${EVENT_STREAM.name}.${name}.events.${domain}.*.*`),
    ...['INFO', 'MSG.NEXT', 'DELETE'].map((call) => `$JS.API.CONSUMER.${call}.${EVENT_STREAM.name}.${name}`),
    `$JS.API.STREAM.MSG.DELETE.${EVENT_STREAM.name}`,
  ];
}

/** Every service verifies tokens. The watch is a separate short-lived consumer with flow control. */
const watchesRevocations = (): string[] => [
  `$JS.API.CONSUMER.CREATE.${REVOCATION_STREAM}.>`,
  `$JS.API.CONSUMER.DELETE.${REVOCATION_STREAM}.>`,
  `$JS.API.CONSUMER.INFO.${REVOCATION_STREAM}.>`,
  `$JS.API.STREAM.INFO.${REVOCATION_STREAM}`,
  `$JS.FC.${REVOCATION_STREAM}.>`,
];

const revokes = (service: ServiceName): string[] => (service === 'identity' ? [`${REVOCATION_SUBJECT_PREFIX}>`] : []);
