import { EVENT_PATTERNS } from '@crm/contracts';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  field,
  IdField,
  IntegerField,
  JsonField,
  ListField,
  TextField,
  UrlField,
} from '@crm/http';
import { maskHeaders } from './custom-headers.js';
import { SIGNATURES, type Signature } from './signature.js';
import {
  ORDERINGS,
  type Ordering,
  STALL_RULES,
  type StallRule,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
  statusOf,
} from './subscription.js';
import type { ShownSubscription } from './subscription.service.js';

const EVENTS = 'Event names, or `<domain>.*` for all events of a domain, including future ones';
const FILTER = 'A formula over the keys of `data`. An event is delivered only if the result is TRUE';
const HEADERS =
  "Headers sent with each delivery: up to 20 values by name, up to 4,096 bytes in total. A name has up to 64 characters and can't be a header of the platform, the connection, or the body; a value is up to 1,000 characters of visible ASCII. Values are stored encrypted and never shown";
const ORDERING =
  '`record` sends the deliveries of a record one after the other, in the order of its versions; `none` guarantees no order. Events without a record version are never ordered';
const ON_STALL =
  'With `record`, what happens after a delivery has failed 3 times: `skip` sets it aside so that later ones of its record continue; `hold` makes them wait until it is delivered or has finally failed';
const RATE_LIMIT = 'Maximum attempts per second. Excess deliveries wait. Null for no limit';
const MASK = '`********` keeps the stored value';

export class CreateSubscriptionInput {
  @ListField(field.enum(EVENT_PATTERNS), { minItems: 1, description: EVENTS, example: ['lead.*', 'deal.won'] })
  events: string[];

  @UrlField({ description: 'An https URL with a public host', example: 'https://hooks.example.com/crm' }) url: string;
  @TextField({ maxLength: 500, optional: true, nullable: true }) description?: string | null;

  @TextField({ maxLength: 4000, optional: true, nullable: true, description: FILTER, example: 'status == "new"' })
  filter?: string | null;

  @EnumField(SIGNATURES, {
    optional: true,
    description:
      "How deliveries are signed: `v1` (default) with HMAC-SHA256 and a shared secret; `v1a` with Ed25519, so that the endpoint needs only a public key. It can't be changed later",
    example: 'v1',
  })
  signature?: Signature;

  @EnumField(ORDERINGS, { optional: true, description: `${ORDERING}. \`none\` by default`, example: 'record' })
  ordering?: Ordering;

  @EnumField(STALL_RULES, { optional: true, description: `${ON_STALL}. \`skip\` by default`, example: 'skip' })
  onStall?: StallRule;

  @JsonField({ optional: true, nullable: true, description: HEADERS, example: { 'x-api-key': 'k-7f3a' } })
  headers?: Record<string, unknown> | null;

  @IntegerField({ minimum: 1, maximum: 1000, optional: true, nullable: true, description: RATE_LIMIT, example: 10 })
  rateLimit?: number | null;
}

export class UpdateSubscriptionInput {
  @ListField(field.enum(EVENT_PATTERNS), {
    minItems: 1,
    optional: true,
    description: EVENTS,
    example: ['lead.created', 'deal.won'],
  })
  events?: string[];

  @UrlField({ optional: true, example: 'https://hooks.example.com/crm' }) url?: string;
  @TextField({ maxLength: 500, optional: true, nullable: true }) description?: string | null;
  @TextField({ maxLength: 4000, optional: true, nullable: true, description: FILTER }) filter?: string | null;

  @JsonField({
    optional: true,
    nullable: true,
    description: `${HEADERS}. Replaces all headers; ${MASK}, unless the URL changes: then send all values again`,
    example: { 'x-api-key': 'k-91bc' },
  })
  headers?: Record<string, unknown> | null;

  @EnumField(ORDERINGS, { optional: true, description: `${ORDERING}. A change applies to later events` })
  ordering?: Ordering;

  @EnumField(STALL_RULES, { optional: true, description: `${ON_STALL}. A change applies to attempts that end later` })
  onStall?: StallRule;

  @IntegerField({ minimum: 1, maximum: 1000, optional: true, nullable: true, description: RATE_LIMIT, example: 10 })
  rateLimit?: number | null;

  @BooleanField({
    optional: true,
    description: 'False pauses the subscription; true resumes it and clears its past failures',
  })
  enabled?: boolean;
}

export class SubscriptionView {
  @IdField() id: string;
  @ListField(field.text({ maxLength: 80 }), { description: EVENTS, example: ['lead.*', 'deal.won'] }) events: string[];
  @TextField({ maxLength: 2048 }) url: string;
  @TextField({ maxLength: 500, nullable: true }) description: string | null;
  @TextField({ maxLength: 4000, nullable: true, description: FILTER }) filter: string | null;
  @IntegerField({ nullable: true, description: RATE_LIMIT, example: null }) rateLimit: number | null;

  @EnumField(SUBSCRIPTION_STATUSES, {
    description:
      '`paused` by an admin, or `disabled` by the platform because attempts failed for 5 days or the endpoint returned 410 (events are held), or its app is revoked (nothing is sent)',
  })
  status: SubscriptionStatus;

  @BooleanField({ description: 'Whether the status is `active`' }) enabled: boolean;

  @TextField({
    maxLength: 500,
    nullable: true,
    description: 'Why the platform disabled it; null if it is active or paused',
    example: null,
  })
  disabledReason: string | null;

  @EnumField(ORDERINGS, { description: ORDERING }) ordering: Ordering;
  @EnumField(STALL_RULES, { description: ON_STALL }) onStall: StallRule;

  @IntegerField({
    minimum: 0,
    description:
      'Number of held deliveries (status `held`), also after it was resumed. Updated hourly for deliveries whose event is no longer kept',
    example: 0,
  })
  heldCount: number;

  @IntegerField({
    minimum: 0,
    description: 'Events dropped since it was last paused or disabled, because it already held the maximum',
    example: 0,
  })
  heldDropped: number;

  @TextField({
    maxLength: 200,
    nullable: true,
    description: 'Key of the app it belongs to; null for a subscription of the workspace',
  })
  appKey: string | null;

  @EnumField(SIGNATURES, { description: '`v1`: HMAC-SHA256, `v1a`: Ed25519' }) signature: Signature;

  @TextField({
    maxLength: 100,
    nullable: true,
    description: 'Public key that verifies `v1a` signatures; null for `v1`',
    example: null,
  })
  publicKey: string | null;

  @JsonField({ description: 'Names of the custom headers, with masked values', example: { 'x-api-key': '********' } })
  headers: Record<string, string>;

  @DateTimeField() createdAt: string;
}

export class CreatedSubscriptionView extends SubscriptionView {
  @TextField({ maxLength: 100, optional: true, description: 'With `v1`: the signing secret. Shown once' })
  secret?: string;
}

export class RotatedSecretView {
  @TextField({ maxLength: 100, optional: true, description: 'With `v1`: the new signing secret. Shown once' })
  secret?: string;

  @TextField({ maxLength: 100, optional: true, description: 'With `v1a`: the new public key' }) publicKey?: string;
}

export const subscriptionView = (subscription: ShownSubscription): SubscriptionView => ({
  id: subscription.id,
  events: [...subscription.events],
  url: subscription.url,
  description: subscription.description,
  filter: subscription.filter,
  rateLimit: subscription.rateLimit,
  status: statusOf(subscription),
  enabled: subscription.enabled,
  disabledReason: subscription.disabledReason,
  ordering: subscription.ordering,
  onStall: subscription.onStall,
  heldCount: subscription.hold.held,
  heldDropped: subscription.hold.dropped,
  appKey: subscription.appKey,
  signature: subscription.publicKey === null ? 'v1' : 'v1a',
  publicKey: subscription.publicKey,
  headers: { ...maskHeaders(subscription.headers) },
  createdAt: subscription.createdAt.toISOString(),
});
