import type { ServiceName } from '@crm/contracts';

/** Only processes of the service may publish and receive on it. */
export const nudgeSubject = (service: ServiceName): string => `outbox.${service}`;
