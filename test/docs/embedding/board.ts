import { Injectable } from '@nestjs/common';
import { ClientEventAuthorizer, type SentClientEvent } from 'rookery/channels';

@Injectable()
export class Board {
  /** Whose turn it is, by game. */
  readonly turns = new Map<string, string>();

  @ClientEventAuthorizer('presence-game.{game}', 'client-move')
  mayMove({ params, member, data }: SentClientEvent): boolean {
    return this.turns.get(params['game']!) === member?.id && isMove(data);
  }

  // For every other event on the channels of games.
  @ClientEventAuthorizer('presence-game.{game}')
  mayTell({ event }: SentClientEvent): boolean {
    return event === 'client-move' || event === 'client-typing';
  }
}

const isMove = (data: unknown): data is { from: string; to: string } =>
  typeof data === 'object' && data !== null && 'from' in data && 'to' in data;
