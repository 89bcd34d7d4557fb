// Speaks to the platform's keychain in a process of its own: one that never answers blocks whoever asks it,
// and this process can be ended. Words: read|keep|forget, the entry. The secret of keep comes on standard input.
// The single executable has the library inside.
if (require.main === module) require('./own-packages.js')();

const SERVICE = 'hedge';
const [verb, entry] = process.argv.slice(2);

void speak();

async function speak() {
  try {
    tell(await answer());
  } catch (error) {
    tell({ error: error.code === 'MODULE_NOT_FOUND' ? 'its library is not installed' : error.message });
  }
}

async function answer() {
  const { Entry } = require('@napi-rs/keyring');
  // Without this, Linux falls back to a store of the kernel that the next boot empties.
  const kept = new Entry(SERVICE, entry, { linux: { store: 'secret-service' } });
  if (verb === 'read') return { secret: kept.getPassword() };
  if (verb === 'forget') return { forgotten: kept.deletePassword() };
  kept.setPassword(await standardInput());
  return { kept: true };
}

async function standardInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function tell(said) {
  process.stdout.write(JSON.stringify(said));
}
