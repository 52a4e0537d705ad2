import type { MessagingConfig } from './messaging-config.js';

export interface MessagingModuleOptions {
  config: MessagingConfig;
  /** Starts the relay of the service's outbox; needs the DatabaseModule. */
  outbox?: boolean;
}

export const MESSAGING_OPTIONS = Symbol('crm:messaging-options');
