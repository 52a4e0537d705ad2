import type { ServiceName } from '@crm/contracts';

/** How a service reaches NATS; read from the environment in the service's `config.ts`. */
export interface MessagingConfig {
  /** Server, or several separated by commas. */
  url: string;
  /** The NATS user; the same as the service's name. */
  user: string;
  password: string;
  service: ServiceName;
}
