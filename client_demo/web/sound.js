/** Sounds and vibration, both off until the player switches them on. All tones are made here; nothing is loaded. */
import { setting } from './settings.js';

let audio = null;

/** A number was picked, or a pair of another player came in. */
export const tap = () => (tone(660, 0, 0.05, 0.05), buzz(8));

/** One's own pair was taken. */
export const pair = () => (tone(523, 0, 0.09, 0.07), tone(784, 0.05, 0.12, 0.07), buzz(15));

/** A row closed. */
export const chord = () => (
  [523, 659, 784, 1047].forEach((hz, i) => tone(hz, i * 0.04, 0.35, 0.05)),
  buzz([15, 40, 15])
);

/** A claim was refused. */
export const knock = () => (tone(110, 0, 0.09, 0.25, 'triangle'), tone(90, 0.11, 0.09, 0.2, 'triangle'), buzz(60));

/** One's turn has come, or the game starts. */
export const bell = () => (tone(880, 0, 0.25, 0.05), tone(1320, 0.02, 0.3, 0.03), buzz(30));

function tone(hz, after, seconds, loud, type = 'sine') {
  if (!setting('sound')) return;
  audio ??= new AudioContext();
  if (audio.state === 'suspended') audio.resume(); // made before the page was first touched
  const at = audio.currentTime + after;
  const volume = audio.createGain();
  volume.gain.setValueAtTime(loud, at);
  volume.gain.exponentialRampToValueAtTime(0.0005, at + seconds);
  const voice = new OscillatorNode(audio, { type, frequency: hz });
  voice.connect(volume).connect(audio.destination);
  voice.start(at);
  voice.stop(at + seconds);
}

function buzz(pattern) {
  if (setting('vibration')) navigator.vibrate?.(pattern);
}
