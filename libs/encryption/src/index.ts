export { headOf } from './box-format.js';
export { type EncryptionKey, EncryptionKeys, InvalidEncryptionKeys } from './encryption-keys.js';
export { keyIdOf, MissingEncryptionKey, SecretBox } from './secret-box.js';
