import { isUuid, PlatformError } from '@crm/contracts';
import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Header,
  Param,
  type PipeTransform,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

export interface RouteSettings {
  /** Bytes. */
  readonly bodyLimit?: number;
  /** Problem documents of this route are the same for everybody: without request id and instance. */
  readonly constantProblems?: boolean;
  /** The body is a form (`application/x-www-form-urlencoded`), which reaches the handler as the text that was sent. */
  readonly formBody?: boolean;
}

const FASTIFY_ROUTE_CONFIG = '__fastify_route_config__';

export const settingsOf = (handler: object): RouteSettings =>
  (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG, handler) as RouteSettings | undefined) ?? {};

function routeSettings(settings: RouteSettings): MethodDecorator {
  return (target, key, descriptor) => {
    const present = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG, descriptor.value as object) as RouteSettings | undefined;
    RouteConfig({ ...present, ...settings })(target, key, descriptor as PropertyDescriptor);
  };
}

/** Bytes a body may have unless a route says otherwise. */
export const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Bytes a body may have where someone without a token sends it, e.g. to sign in. */
export const CREDENTIALS_BODY_LIMIT = 16 * 1024;

/** Another limit for the body of a route, in bytes; a larger one is answered by 413 PAYLOAD_TOO_LARGE. */
export const BodyLimit = (bytes: number): MethodDecorator => routeSettings({ bodyLimit: bytes });

/** Without request id and instance, two refusals for different reasons are the same to the byte. */
export const ConstantProblems = (): MethodDecorator => routeSettings({ constantProblems: true });

/** The body reaches the handler as text. Other routes refuse forms: a page of another site can send them without asking. */
export const FormBody = (): MethodDecorator => routeSettings({ formBody: true });

/** Returns a UUID in lower case; any other value cannot exist and is NOT_FOUND. */
export class IdPipe implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    if (isUuid(value)) return value.toLowerCase();
    throw new PlatformError('NOT_FOUND');
  }
}

/** An id in the path: `@IdParam() id: string`, `@IdParam('workflowId') workflowId: string`. */
export const IdParam = (name = 'id'): ParameterDecorator => Param(name, new IdPipe());

const NOT_REPEATABLE = 'crm:not-repeatable';

/** Runs after the access guard, which is global, so who may not call learns nothing of it. */
class RefuseIdempotencyKey implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Readonly<Record<string, unknown>> }>();
    if (headers['idempotency-key'] === undefined) return true;
    throw new PlatformError(
      'MALFORMED_REQUEST',
      "This call doesn't support Idempotency-Key. Send it without the header",
    );
  }
}

/**
 * For calls that issue a secret, or that nobody is signed in for: the answer is given once and not stored. Who sends
 * `Idempotency-Key` counts on a harmless repetition, so that is refused with 400 before anything happens.
 */
export const NotRepeatable = (): MethodDecorator =>
  applyDecorators(
    Header('cache-control', 'no-store'),
    UseGuards(RefuseIdempotencyKey),
    SetMetadata(NOT_REPEATABLE, true),
  );

export const isNotRepeatable = (handler: object): boolean => Reflect.hasMetadata(NOT_REPEATABLE, handler);

/** RFC 9110, section 8.8.3. @param parts what changes the representation without a new version; without quotes */
export const entityTag = (version: number, ...parts: readonly string[]): string => `"${[version, ...parts].join('.')}"`;

/** Versions that may be changed; null for any. */
export type ExpectedVersions = ReadonlySet<number> | null;

/** An element of the list: a tag, weak or not, and the comma after it. Tags may contain commas too. */
const ELEMENT = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(,|$)/y;
/** The version at the beginning of the platform's tags. */
const OWN_TAG = /^([1-9][0-9]{0,9})(?:\.|$)/;

/**
 * `If-Match` (RFC 9110, section 13.1.1), compared strongly: weak and foreign tags match nothing. Absent: any version.
 * @throws MALFORMED_REQUEST when it is not a list of entity tags
 */
export function parseIfMatch(header: string | undefined): ExpectedVersions {
  if (header === undefined || header.trim() === '*') return null;
  const versions = new Set<number>();
  let tags = 0;
  for (ELEMENT.lastIndex = 0; ; ) {
    const element = ELEMENT.exec(header);
    if (!element) throw malformed();
    const [, weak, opaque, separator] = element;
    if (opaque !== undefined) tags += 1;
    const own = weak === undefined && opaque !== undefined ? OWN_TAG.exec(opaque) : null;
    if (own) versions.add(Number(own[1]));
    if (separator === '') break;
  }
  if (tags === 0) throw malformed();
  return versions;
}

/** @throws VERSION_MISMATCH when the current version is not one of the expected ones */
export function requireMatch(expected: ExpectedVersions, version: number): void {
  if (expected && !expected.has(version)) throw new PlatformError('VERSION_MISMATCH');
}

const malformed = (): PlatformError =>
  new PlatformError('MALFORMED_REQUEST', 'If-Match must be "*" or a list of entity tags, each in double quotes');

const expectedBy = createParamDecorator((name: string, context: ExecutionContext) => {
  const { headers } = context.switchToHttp().getRequest<{ headers: Readonly<Record<string, string | undefined>> }>();
  return parseIfMatch(headers[name]);
});

/** Injects the versions that `If-Match` allows to change: `@IfMatch() expected: ExpectedVersions`. */
export const IfMatch = (): ParameterDecorator => expectedBy('if-match');
