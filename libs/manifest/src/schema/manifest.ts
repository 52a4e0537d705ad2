import { APP_KEY_LENGTH, APP_KEY_PATTERN, ROLE_NAME_PATTERN } from '@crm/contracts';
import Type, { type Static } from 'typebox';
import { Assistant, Automation, Connector, Embed, EventService, OAuth, Webhook } from './automations.js';
import { CustomObject, closed, optionalText, SEMVER_PATTERN, textOr } from './objects.js';

const Publisher = closed(
  {
    name: optionalText({ examples: ['Acme Field Software'] }),
    website: optionalText({ examples: ['https://www.acme.example.com/'] }),
    supportEmail: optionalText({ examples: ['support@acme.example.com'] }),
    privacyUrl: optionalText({ examples: ['https://www.acme.example.com/privacy'] }),
    termsUrl: optionalText({ examples: ['https://www.acme.example.com/terms'] }),
  },
  'Who publishes the app.',
);

const Listing = closed(
  {
    summary: optionalText({ examples: ['Plan site visits, record hours and see what they cost.'] }),
    description: optionalText(),
    categories: Type.Optional(Type.Array(Type.String({ examples: ['field-service'] }))),
    icon: optionalText({ examples: ['https://cdn.acme.example.com/icon.png'] }),
    screenshots: Type.Optional(Type.Array(Type.String({ examples: ['https://cdn.acme.example.com/list.png'] }))),
    visibility: Type.Optional(Type.Enum(['public', 'unlisted', 'private'])),
  },
  'How the app appears in the marketplace.',
);

const Release = closed(
  {
    notes: optionalText({ examples: ['First version.'] }),
    breaking: Type.Optional(
      Type.Array(Type.String(), { description: 'Breaking and destructive changes, one sentence each.' }),
    ),
  },
  'What this version changes.',
);

/** What operators receive in addition to the package. The four components are required; their content is not prescribed. */
export const ReviewPacketSchema = Type.Object(
  {
    demoVideo: Type.String({ description: 'An https URL.' }),
    sandboxAttestation: Type.Unknown({
      description: 'A string, `true`, or an object such as `{ installedAt, testedBy, manifestSha256, statement }`.',
    }),
    securityQuestionnaire: Type.Unknown({ description: 'Questions and answers.' }),
    testInstructions: Type.Unknown({ description: 'How a reviewer tries the app.' }),
  },
  { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Review packet' },
);

export type ReviewPacket = Static<typeof ReviewPacketSchema>;

/** The names of the components, in the order in which they are reported. */
export const REVIEW_COMPONENTS = [
  'demoVideo',
  'sandboxAttestation',
  'securityQuestionnaire',
  'testInstructions',
] as const satisfies readonly (keyof ReviewPacket)[];

export const APP_KINDS = ['data_connector', 'industry_app', 'ai_assistant', 'event_service'] as const;

export const Permission = closed({
  scope: Type.String({ examples: ['leads:read'] }),
  purpose: optionalText({
    description: 'Why the app needs the scope. Shown to the admin who grants it.',
    examples: ['Tells the planning system about new leads.'],
  }),
  optional: Type.Optional(Type.Boolean()),
});

export const Role = closed({
  name: Type.String({
    pattern: ROLE_NAME_PATTERN,
    description: 'Apps that declare the same name share the role and the users who have it.',
    examples: ['planner'],
  }),
  label: optionalText({ examples: ['Planner'] }),
});

/** The `$id` of the schema; it does not change as long as `manifestVersion` is 1. */
export const MANIFEST_SCHEMA_ID = 'https://crm.example.com/schemas/manifest-v1.json';

/**
 * Manifest v1. The schema covers shape only: types, required and unknown keys, the patterns of key, version and api
 * names. The checks cover limits and meaning.
 */
export const ManifestSchema = Type.Object(
  {
    $schema: optionalText(),
    manifestVersion: Type.Optional(Type.Literal(1)),
    key: Type.String({ pattern: APP_KEY_PATTERN, ...APP_KEY_LENGTH, examples: ['acme-site-visits'] }),
    name: Type.String({ minLength: 1, maxLength: 80, examples: ['Acme Site Visits'] }),
    version: Type.String({ pattern: SEMVER_PATTERN, maxLength: 64, examples: ['1.0.0'] }),
    kind: Type.Enum([...APP_KINDS]),
    publisher: Type.Optional(Publisher),
    listing: Type.Optional(Listing),
    permissions: Type.Optional(Type.Array(textOr(Permission, 'A scope, or a scope with its purpose.'))),
    roles: Type.Optional(Type.Array(Role)),
    objects: Type.Optional(Type.Array(CustomObject)),
    automations: Type.Optional(Type.Array(Automation)),
    webhooks: Type.Optional(Type.Array(Webhook)),
    embed: Type.Optional(Embed),
    oauth: Type.Optional(OAuth),
    connector: Type.Optional(Connector),
    assistant: Type.Optional(Assistant),
    service: Type.Optional(EventService),
    release: Type.Optional(Release),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: MANIFEST_SCHEMA_ID,
    title: 'App package, manifest version 1',
    additionalProperties: false,
  },
);

export type Manifest = Static<typeof ManifestSchema>;
export type AppKind = Manifest['kind'];
export type ManifestObject = Static<typeof CustomObject>;
export type ManifestField = ManifestObject['fields'][number];
export type ManifestAutomation = Static<typeof Automation>;
export type ManifestTrigger = ManifestAutomation['trigger'];
export type ManifestAction = ManifestAutomation['actions'][number];
export type ManifestWebhook = Static<typeof Webhook>;
export type ManifestEmbed = Static<typeof Embed>;
export type ManifestOAuth = Static<typeof OAuth>;
export type ManifestConnector = Static<typeof Connector>;
export type ManifestStream = ManifestConnector['streams'][number];
export type ManifestAssistant = Static<typeof Assistant>;
export type ManifestTool = NonNullable<ManifestAssistant['tools']>[number];

/** The schema as plain JSON, with the keyword `discriminator`, by which the validator finds the intended branch. */
export const discriminatedSchema: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(ManifestSchema));

/** The published JSON Schema 2020-12 of the manifest as plain JSON, without non-standard keywords. */
export const manifestJsonSchema: Readonly<Record<string, unknown>> = JSON.parse(
  JSON.stringify(ManifestSchema, (key, value) => (key === 'discriminator' ? undefined : value)),
);
