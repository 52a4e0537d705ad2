export { EncryptionKeys, InvalidEncryptionKeys } from './encryption-keys.js';
export { createEncryptionKeyTable, KeyRegister, letNarrowRoleFindTenants } from './sealing/key-register.js';
export { reencryptProgram, runReencrypt } from './sealing/reencrypt-program.js';
export { countKeyUse, sealAgain } from './sealing/seal-again.js';
export { type SealedColumn, unlistedColumns } from './sealing/sealed-column.js';
export { SealingModule } from './sealing/sealing.module.js';
export { SecretBox } from './secret-box.js';
