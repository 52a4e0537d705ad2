import Type, { type Static } from 'typebox';

/** What operators receive in addition to the package. The four components are required; their content is not prescribed. */
export const ReviewPacketSchema = Type.Object(
  {
    demoVideo: Type.String({ description: 'An https URL.' }),
    sandboxAttestation: Type.Unknown({
      description: 'A text, `true`, or an object such as `{ installedAt, testedBy, manifestSha256, statement }`.',
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
