/** Runs before the rest is there: the words of the page are fetched while its modules still are. */
import { preferred, speak } from './texts.js';

speak(preferred());
