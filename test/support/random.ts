export { Random } from '../../libs/testing/src/simulation/random.js';
