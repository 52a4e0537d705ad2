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

const EVENTS = 'Names of events, or `<domain>.*` for every event of a domain, also those that are added later';
const FILTER = 'A formula over the keys of `data`; an event is delivered only if it gives TRUE';
const HEADERS =
  'Sent with each delivery: values by name, at most 20, with 4,096 bytes together. A name has at most 64 characters and is none of the platform, of the connection or of the body; a value is visible ASCII of at most 1,000 characters. Values are stored sealed and never shown';
const ORDERING =
  '`record` makes the deliveries of a record one after the other, in the order of its versions; `none` promises no order. Events without a record version have none either way';
const ON_STALL =
  'With `record`, what becomes of a delivery that has failed three times: `skip` sets it aside, so that later ones of its record go on; `hold` lets them wait until it is delivered or has failed for good';
const RATE_LIMIT =
  'Attempts a second at most, over all processes; what comes faster waits. Null for as many as the receiver takes';
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
      'How deliveries are signed: `v1` with HMAC-SHA256 and a secret that is shared with the receiver, `v1a` with Ed25519, for which the receiver needs a public key only; `v1` when left out. It cannot be changed later',
    example: 'v1',
  })
  signature?: Signature;

  @EnumField(ORDERINGS, { optional: true, description: `${ORDERING}. \`none\` when left out`, example: 'record' })
  ordering?: Ordering;

  @EnumField(STALL_RULES, { optional: true, description: `${ON_STALL}. \`skip\` when left out`, example: 'skip' })
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
    description: `${HEADERS}. Replaces all headers; ${MASK}, unless the URL changes, which needs all values again`,
    example: { 'x-api-key': 'k-91bc' },
  })
  headers?: Record<string, unknown> | null;

  @EnumField(ORDERINGS, { optional: true, description: `${ORDERING}. A change holds for events that come later` })
  ordering?: Ordering;

  @EnumField(STALL_RULES, { optional: true, description: `${ON_STALL}. A change holds for attempts that end later` })
  onStall?: StallRule;

  @IntegerField({ minimum: 1, maximum: 1000, optional: true, nullable: true, description: RATE_LIMIT, example: 10 })
  rateLimit?: number | null;

  @BooleanField({
    optional: true,
    description: 'False pauses the subscription, true resumes it and forgets its past failures',
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
      '`paused` by an administrator, or `disabled` by the platform: attempts failed for five days or the receiver answered 410 (either holds events), or its app is revoked (nothing is sent)',
  })
  status: SubscriptionStatus;

  @BooleanField({ description: 'Whether the status is `active`' }) enabled: boolean;

  @TextField({
    maxLength: 500,
    nullable: true,
    description: 'Why the platform disabled it; null for a subscription that is active or paused',
    example: null,
  })
  disabledReason: string | null;

  @EnumField(ORDERINGS, { description: ORDERING }) ordering: Ordering;
  @EnumField(STALL_RULES, { description: ON_STALL }) onStall: StallRule;

  @IntegerField({
    minimum: 0,
    description:
      'Deliveries that it holds (status `held`), also after it was resumed. They are counted again every hour, because those whose event is no longer kept go without notice',
    example: 0,
  })
  heldCount: number;

  @IntegerField({
    minimum: 0,
    description: 'Events that were not held since it was last paused or disabled, because it held as many as it can',
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
    description: 'What verifies `v1a` signatures; null for `v1`',
    example: null,
  })
  publicKey: string | null;

  @JsonField({ description: 'Names of the custom headers, with masked values', example: { 'x-api-key': '********' } })
  headers: Record<string, string>;

  @DateTimeField() createdAt: string;
}

export class CreatedSubscriptionView extends SubscriptionView {
  @TextField({ maxLength: 100, optional: true, description: 'With `v1`: the signing secret; shown only once' })
  secret?: string;
}

export class RotatedSecretView {
  @TextField({ maxLength: 100, optional: true, description: 'With `v1`: the new signing secret; shown only once' })
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
