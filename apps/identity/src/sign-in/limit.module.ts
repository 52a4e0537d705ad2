import { Module } from '@nestjs/common';
import { SignInLimit } from './sign-in-limit.js';

/** Limits of failed sign-ins. */
@Module({ providers: [SignInLimit], exports: [SignInLimit] })
export class LimitModule {}
