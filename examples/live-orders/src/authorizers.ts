import { Injectable, UseGuards } from '@nestjs/common';
import { ChannelAuthorizer, ChannelParam, CurrentUser } from 'rookery/authorization';
import { LoginGuard, type User } from './login.guard.js';

/** Decides who may listen to which channel. */
@Injectable()
@UseGuards(LoginGuard)
export class Authorizers {
  @ChannelAuthorizer('private-customer.{id}')
  own(@CurrentUser() user: User, @ChannelParam('id') id: string): boolean {
    return user.id === id;
  }

  @ChannelAuthorizer('private-bakery')
  all(@CurrentUser() user: User): boolean {
    return user.isStaff;
  }
}
