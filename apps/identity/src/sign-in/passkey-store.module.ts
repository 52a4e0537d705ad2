import { Module } from '@nestjs/common';
import { PasskeyRepository } from './passkey.repository.js';

/** Stored passkeys, for whoever asks whether an account has any or removes them with it. */
@Module({ providers: [PasskeyRepository], exports: [PasskeyRepository] })
export class PasskeyStoreModule {}
