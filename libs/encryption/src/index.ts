export { type EncryptionKey, EncryptionKeys, InvalidEncryptionKeys } from './encryption-keys.js';
export {
  createEncryptionKeyTable,
  KeyRegister,
  letNarrowRoleFindTenants,
  UnusableKeys,
} from './sealing/key-register.js';
export { type ReencryptOutput, reencryptProgram, runReencrypt } from './sealing/reencrypt-program.js';
export { countKeyUse, type KeyUse, type SealedAgain, sealAgain } from './sealing/seal-again.js';
export { type SealedColumn, unlistedColumns } from './sealing/sealed-column.js';
export { SealingModule } from './sealing/sealing.module.js';
export { headOf, keyIdOf, MissingEncryptionKey, SecretBox } from './secret-box.js';
