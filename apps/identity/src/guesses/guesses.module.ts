import { Module } from '@nestjs/common';
import { CodeGuessService } from './code-guess.service.js';
import { DeviceTokens } from './device-tokens.js';
import { MailCodes } from './mail-codes.js';
import { SignInLimit } from './sign-in-limit.js';

@Module({
  providers: [CodeGuessService, DeviceTokens, MailCodes, SignInLimit],
  exports: [CodeGuessService, DeviceTokens, MailCodes, SignInLimit],
})
export class GuessesModule {}
