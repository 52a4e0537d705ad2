import Type from 'typebox';
import { closed } from './shapes.js';

export const Publisher = closed(
  {
    name: Type.Optional(Type.String({ examples: ['Acme Field Software'] })),
    website: Type.Optional(Type.String({ examples: ['https://www.acme.example.com/'] })),
    supportEmail: Type.Optional(Type.String({ examples: ['support@acme.example.com'] })),
    privacyUrl: Type.Optional(Type.String({ examples: ['https://www.acme.example.com/privacy'] })),
    termsUrl: Type.Optional(Type.String({ examples: ['https://www.acme.example.com/terms'] })),
  },
  'Who publishes the app.',
);

export const Listing = closed(
  {
    summary: Type.Optional(Type.String({ examples: ['Plan site visits, record hours and see what they cost.'] })),
    description: Type.Optional(Type.String()),
    categories: Type.Optional(Type.Array(Type.String({ examples: ['field-service'] }))),
    icon: Type.Optional(Type.String({ examples: ['https://cdn.acme.example.com/icon.png'] })),
    screenshots: Type.Optional(Type.Array(Type.String({ examples: ['https://cdn.acme.example.com/list.png'] }))),
    visibility: Type.Optional(Type.Enum(['public', 'unlisted', 'private'])),
  },
  'How the app appears in the marketplace.',
);

export const Release = closed(
  {
    notes: Type.Optional(Type.String({ examples: ['First version.'] })),
    breaking: Type.Optional(
      Type.Array(Type.String(), { description: 'Breaking and destructive changes, one sentence each.' }),
    ),
  },
  'What this version changes.',
);
