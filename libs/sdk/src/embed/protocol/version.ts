/**
 * Version of the messages between a host's page and the embed page. A change that an older side cannot ignore gets the next
 * number; fields and types that may be ignored can be added without.
 */
export const PROTOCOL_VERSION = 1;

/** Marks the messages of this protocol among everything else that arrives at a window. */
export const PROTOCOL = 'crm-embed';

/** Longest text of a message that is read: a token is far shorter, and nothing else is longer. */
export const MAX_TEXT = 8192;
