import { Module } from '@nestjs/common';
import { OperatorPasswordStrategy } from './operator-password.strategy.js';
import { SessionController } from './session.controller.js';

@Module({ controllers: [SessionController], providers: [OperatorPasswordStrategy] })
export class SessionModule {}
