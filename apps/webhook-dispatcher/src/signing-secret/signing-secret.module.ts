import { Module } from '@nestjs/common';
import { SigningSecretService } from './signing-secret.service.js';

@Module({ providers: [SigningSecretService], exports: [SigningSecretService] })
export class SigningSecretModule {}
