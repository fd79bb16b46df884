import type { Case } from '../../case.js';
import { arrivals } from './arrivals.js';
import { devices } from './devices.js';
import { interests } from './interests.js';
import { publishes } from './publishes.js';
import { tokens } from './tokens.js';
import { users } from './users.js';

export const beams: readonly Case[] = [...publishes, ...devices, ...interests, ...users, ...tokens, ...arrivals];
