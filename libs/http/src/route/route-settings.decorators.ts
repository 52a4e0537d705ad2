import { routeSettings } from './route-settings.js';

/** Bytes a body may have unless a route says otherwise. */
export const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Bytes a body may have where somebody without a token sends it, e.g. to sign in. */
export const CREDENTIALS_BODY_LIMIT = 16 * 1024;

/** Another limit for the body of a route, in bytes; a larger one is answered by 413 PAYLOAD_TOO_LARGE. */
export const BodyLimit = (bytes: number): MethodDecorator => routeSettings({ bodyLimit: bytes });

/**
 * Problem documents of the route carry neither request id nor instance, so that two refusals for different reasons are
 * the same to the byte.
 */
export const ConstantProblems = (): MethodDecorator => routeSettings({ constantProblems: true });

/**
 * The body is a form, as protocols of others demand: `request.body` is the text that was sent. Every other route refuses forms,
 * because a page of another site can send them without asking.
 */
export const FormBody = (): MethodDecorator => routeSettings({ formBody: true });
