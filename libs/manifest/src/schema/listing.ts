import Type from 'typebox';
import { closed } from './shapes.js';

export const Publisher = closed(
  {
    name: Type.Optional(Type.String()),
    website: Type.Optional(Type.String()),
    supportEmail: Type.Optional(Type.String()),
    privacyUrl: Type.Optional(Type.String()),
    termsUrl: Type.Optional(Type.String()),
  },
  'Who stands behind the app.',
);

export const Listing = closed(
  {
    summary: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    categories: Type.Optional(Type.Array(Type.String())),
    icon: Type.Optional(Type.String()),
    screenshots: Type.Optional(Type.Array(Type.String())),
    visibility: Type.Optional(Type.Enum(['public', 'unlisted', 'private'])),
  },
  'How the app appears in the marketplace.',
);

export const Release = closed(
  {
    notes: Type.Optional(Type.String()),
    breaking: Type.Optional(
      Type.Array(Type.String(), { description: 'Breaking and destructive changes, one sentence each.' }),
    ),
  },
  'What this version changes.',
);
