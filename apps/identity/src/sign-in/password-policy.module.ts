import { Module } from '@nestjs/common';
import { PasswordPolicy } from './password-policy.service.js';

/** Which passwords are accepted. */
@Module({ providers: [PasswordPolicy], exports: [PasswordPolicy] })
export class PasswordPolicyModule {}
