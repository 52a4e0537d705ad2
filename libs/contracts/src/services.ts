/** The processes of the platform. A name is also the NATS user, the folder under `apps/` and the log field `service`. */
export const SERVICES = [
  'gateway',
  'identity',
  'custom-objects',
  'marketplace-certification',
  'marketplace-admin',
  'embed-gateway',
  'automation-hooks',
  'webhook-dispatcher',
] as const;

export type ServiceName = (typeof SERVICES)[number];

/**
 * Ports of the development profile. Health and metrics are served on the port + 1000, an address that is never public.
 */
export const DEVELOPMENT_PORTS: Readonly<Record<ServiceName, number>> = {
  gateway: 8080,
  'embed-gateway': 8081,
  'marketplace-admin': 8082,
  identity: 4001,
  'custom-objects': 4003,
  'marketplace-certification': 4004,
  'automation-hooks': 4005,
  'webhook-dispatcher': 4006,
};

export const OPERATIONS_PORT_OFFSET = 1000;

/** The services that serve requests of operators, on the port + {@link OPERATORS_PORT_OFFSET}: marketplace-admin alone connects to it. */
export const SERVING_OPERATORS = ['identity', 'marketplace-certification'] as const satisfies readonly ServiceName[];

export const OPERATORS_PORT_OFFSET = 2000;

export const servesOperators = (name: ServiceName): boolean => (SERVING_OPERATORS as readonly string[]).includes(name);

/** The internal prefix of operators' paths: marketplace-admin puts it in front of its public ones, and no other port answers below it. */
export const OPERATORS_PREFIX = '/operators';

const EDGES: readonly ServiceName[] = ['gateway', 'embed-gateway', 'marketplace-admin'];

export const isEdge = (name: ServiceName): boolean => EDGES.includes(name);
