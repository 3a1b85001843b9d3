// For `node --require`, in commands of tests whose subject is not the cost of a passphrase: scrypt with a hundredth of its
// work. The cost that keys name stays the same, so that all commands of a test need it.
const crypto = require("node:crypto");
const { scrypt } = crypto;

crypto.scrypt = (password, salt, length, options, done) =>
  scrypt(password, salt, length, { ...options, N: 2 ** 10 }, done);
