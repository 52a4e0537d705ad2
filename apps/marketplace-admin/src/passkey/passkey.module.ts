import { Module } from '@nestjs/common';
import { CredentialLimit } from '../session/credential-limit.js';
import { PasskeyController } from './passkey.controller.js';
import { PasskeySignInController } from './passkey-sign-in.controller.js';

/** Passkeys of operators. */
@Module({ controllers: [PasskeyController, PasskeySignInController], providers: [CredentialLimit] })
export class PasskeyModule {}
