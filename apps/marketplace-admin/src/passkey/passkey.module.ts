import { Module } from '@nestjs/common';
import { PasskeyController } from './passkey.controller.js';

/** The passkeys of the operator who calls. */
@Module({ controllers: [PasskeyController] })
export class PasskeyModule {}
