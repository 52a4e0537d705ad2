import { Module } from '@nestjs/common';
import { SignInEmailRepository } from './sign-in-email.repository.js';
import { UserRepository } from './user.repository.js';
import { UserService } from './user.service.js';

/** The rows of users and of the addresses that they sign in with. */
@Module({
  providers: [SignInEmailRepository, UserRepository, UserService],
  exports: [SignInEmailRepository, UserRepository, UserService],
})
export class UserModule {}
