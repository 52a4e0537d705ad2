/**
 * What a host has to know. In production the credentials come from your secret store; without them this example gets some for
 * itself from the platform that `npm start` runs.
 */
export const SETTINGS = {
  /** Where this example answers: also the origin that the platform must allow. */
  port: Number(process.env.PORT ?? 4300),
  /** Address of the embedding API. */
  embedUrl: process.env.EMBED_URL ?? 'http://127.0.0.1:8081',
  /** Address of the API, only used by demo-credentials.mjs. */
  apiUrl: process.env.API_URL ?? 'http://127.0.0.1:8080',
  clientId: process.env.EMBED_CLIENT_ID,
  clientSecret: process.env.EMBED_CLIENT_SECRET,
};
