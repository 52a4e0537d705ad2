/** `@crm/sdk/embed/server`: mints embed tokens in the backend of a host. */
export {
  type EmbedCredentials,
  type HostUser,
  MintError,
  type MintedToken,
  type MintOptions,
  mintEmbedToken,
} from './mint-embed-token.js';
