/** `@crm/sdk/embed/server`: mints embed tokens in the backend of a host. */
export {
  type EmbedCredentials,
  type HostUser,
  type MintedToken,
  type MintOptions,
  mintEmbedToken,
} from './mint-embed-token.js';
export { MintError } from './mint-error.js';
