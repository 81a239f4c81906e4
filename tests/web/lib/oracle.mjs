// Slow and obvious versions of what the library does fast.

/** CRC-32 (IEEE), bit by bit. */
export function crc32(text) {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    for (let bit = 0; bit < 8; bit++) {
      const out = (crc ^ (byte >> bit)) & 1;
      crc = (crc >>> 1) ^ (out ? 0xedb88320 : 0);
    }
  }
  return (crc ^ 0xffffffff) >>> 0;
}
