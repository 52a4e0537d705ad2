import { Module } from '@nestjs/common';
import { AccountController } from './account.controller.js';

/** The account of the operator who calls. */
@Module({ controllers: [AccountController] })
export class AccountModule {}
