import type { Case } from '../../case.js';
import { batches } from './batches.js';
import { channels } from './channels.js';
import { delivery } from './delivery.js';
import { signatures } from './signatures.js';
import { triggers } from './triggers.js';

export const httpApi: readonly Case[] = [...triggers, ...batches, ...channels, ...signatures, ...delivery];
