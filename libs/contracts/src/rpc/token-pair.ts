import Type, { type Static } from 'typebox';

export const TokenPair = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer(),
});
export type TokenPair = Static<typeof TokenPair>;
