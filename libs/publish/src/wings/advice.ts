import { advice } from './live-activities/live-activities.advice.js';

/** The advice of all features; apart from the other list, because it needs nothing of them. */
export const adviceOfWings = [advice];
