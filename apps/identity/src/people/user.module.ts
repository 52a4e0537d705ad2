import { Module } from '@nestjs/common';
import { EmailClaimRepository } from './email-claim.repository.js';
import { SignInEmailRepository } from './sign-in-email.repository.js';
import { UserRepository } from './user.repository.js';
import { UserService } from './user.service.js';

/** The rows of users and of the addresses that they sign in with. */
@Module({
  providers: [EmailClaimRepository, SignInEmailRepository, UserRepository, UserService],
  exports: [EmailClaimRepository, SignInEmailRepository, UserRepository, UserService],
})
export class UserModule {}
