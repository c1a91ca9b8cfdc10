//! MPI, loaded at run time through the library of its standard ABI (MPI 5.0, chapter 20): messages of bytes between the
//! processes that a launcher started. No call here waits for another process, except the first and the last.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

/// Handles of the ABI, which are addresses that nothing lies at.
const COMM_WORLD: usize = 0x101;
const ERRORS_RETURN: usize = 0x143;
const REQUEST_NULL: usize = 0x180;
const BYTE: usize = 0x247;
const ANY_SOURCE: c_int = -1;
const THREAD_FUNNELED: c_int = 1024;
/// Version of the ABI that is used here.
const ABI: c_int = 1;
/// Room for the library's description of itself.
const DESCRIPTION: usize = 8192;
/// The one tag of all messages.
const TAG: c_int = 1;
/// Environment variables by which the launcher names the descriptors that only its own process shall have.
const DESCRIPTORS: [&str; 2] = ["PMI_FD", "HYDI_CONTROL_FD"];

/// Why MPI cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MpiError {
    /// The library cannot be loaded.
    #[error("{} cannot be loaded: {why}", library.display())]
    NotLoaded {
        /// The library.
        library: PathBuf,
        /// What the loader says.
        why: String,
    },
    /// The library lacks a function.
    #[error(
        "{} has no function {function}: it is no MPI library with the standard ABI; name libmpi_abi.so.1 of MPICH 5, for example",
        library.display()
    )]
    Lacks {
        /// The library.
        library: PathBuf,
        /// The function.
        function: &'static str,
    },
    /// The library is MPI of another ABI.
    #[error(
        "{} is an MPI library without the standard ABI; name libmpi_abi.so.1, which may lie beside it", library.display()
    )]
    OtherAbi {
        /// The library.
        library: PathBuf,
    },
    /// A function failed.
    #[error("{function} of MPI failed with error {code}")]
    Failed {
        /// The function.
        function: &'static str,
        /// Its error code.
        code: i32,
    },
}

/// The status of a message, as the ABI lays it out.
#[repr(C)]
#[derive(Default)]
struct Status {
    source: c_int,
    tag: c_int,
    error: c_int,
    internal: [c_int; 5],
}

type Handle = usize;

macro_rules! functions {
    ($($field:ident: $name:literal = $signature:ty;)*) => {
        /// The functions of the library.
        struct Functions {
            $($field: $signature),*
        }

        impl Functions {
            /// Returns the functions at the addresses that `address` finds by their names.
            fn at(address: &dyn Fn(&'static CStr) -> Result<*mut c_void, MpiError>) -> Result<Functions, MpiError> {
                // SAFETY: each address is that of the function with this name, whose signature the ABI fixes.
                Ok(Functions { $($field: unsafe { std::mem::transmute::<*mut c_void, $signature>(address($name)?) }),* })
            }
        }
    };
}

functions! {
    init: c"MPI_Init_thread" = unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int;
    finalize: c"MPI_Finalize" = unsafe extern "C" fn() -> c_int;
    abort: c"MPI_Abort" = unsafe extern "C" fn(Handle, c_int) -> c_int;
    rank: c"MPI_Comm_rank" = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
    size: c"MPI_Comm_size" = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
    set_errhandler: c"MPI_Comm_set_errhandler" = unsafe extern "C" fn(Handle, Handle) -> c_int;
    abi_version: c"MPI_Abi_get_version" = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    version: c"MPI_Get_library_version" = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
    send: c"MPI_Isend" =
        unsafe extern "C" fn(*const c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle) -> c_int;
    receive: c"MPI_Irecv" =
        unsafe extern "C" fn(*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle) -> c_int;
    probe: c"MPI_Iprobe" = unsafe extern "C" fn(c_int, c_int, Handle, *mut c_int, *mut Status) -> c_int;
    count: c"MPI_Get_count" = unsafe extern "C" fn(*const Status, Handle, *mut c_int) -> c_int;
    test: c"MPI_Test" = unsafe extern "C" fn(*mut Handle, *mut c_int, *mut Status) -> c_int;
}

/// A message on its way, whose bytes belong to MPI until its request is complete.
struct Travelling {
    request: Handle,
    bytes: Box<[u8]>,
    peer: usize,
}

/// A library that is loaded and has not begun.
pub struct MpiLibrary {
    functions: Functions,
    description: String,
}

/// This process among those that an MPI launcher started together. It stays on the thread that began it.
pub struct Mpi {
    functions: Functions,
    rank: usize,
    size: usize,
    sent: Vec<Travelling>,
    coming: Vec<Travelling>,
    /// MPI is called by the thread that called it first.
    _stays: PhantomData<*const ()>,
}

impl MpiLibrary {
    /// Loads the library with this path, or this name.
    ///
    /// # Errors
    /// [`MpiError`].
    pub fn load(library: &Path) -> Result<MpiLibrary, MpiError> {
        let functions = load(library)?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both numbers outlive the call, which MPI allows before it begins.
        ok("MPI_Abi_get_version", unsafe { (functions.abi_version)(&mut major, &mut minor) })?;
        if major != ABI {
            return Err(MpiError::OtherAbi { library: library.to_owned() });
        }
        let mut text = vec![0_u8; DESCRIPTION];
        let mut length = 0;
        // SAFETY: the buffer has the length that the ABI says is the most that is written; MPI allows this call before it begins.
        ok("MPI_Get_library_version", unsafe { (functions.version)(text.as_mut_ptr().cast(), &mut length) })?;
        text.truncate(usize::try_from(length).unwrap_or(0));
        let text = String::from_utf8_lossy(&text);
        let words: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().collect();
        Ok(MpiLibrary { functions, description: words.join(" ") })
    }

    /// The library's description of itself, one line.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Joins the other processes; waits until all have begun.
    ///
    /// # Errors
    /// [`MpiError`].
    pub fn join(self) -> Result<Mpi, MpiError> {
        keep_descriptors_from_children();
        let functions = self.functions;
        let (mut provided, mut rank, mut size) = (0, 0, 0);
        // SAFETY: MPI allows null for the two arguments; `provided` outlives the call. This is the first call of MPI but for that
        // of its version.
        let begun =
            unsafe { (functions.init)(ptr::null_mut(), ptr::null_mut(), THREAD_FUNNELED, &mut provided) };
        ok("MPI_Init_thread", begun)?;
        // SAFETY: MPI has begun; both handles are those that the ABI defines.
        ok("MPI_Comm_set_errhandler", unsafe { (functions.set_errhandler)(COMM_WORLD, ERRORS_RETURN) })?;
        // SAFETY: MPI has begun; `rank` outlives the call.
        ok("MPI_Comm_rank", unsafe { (functions.rank)(COMM_WORLD, &mut rank) })?;
        // SAFETY: MPI has begun; `size` outlives the call.
        ok("MPI_Comm_size", unsafe { (functions.size)(COMM_WORLD, &mut size) })?;
        Ok(Mpi {
            functions,
            rank: usize::try_from(rank).unwrap_or(0),
            size: usize::try_from(size).unwrap_or(1),
            sent: Vec::new(),
            coming: Vec::new(),
            _stays: PhantomData,
        })
    }
}

impl Mpi {
    /// Number of this process, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of processes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Begins to send a message to a process; does not wait for its arrival.
    ///
    /// # Errors
    /// MPI refuses it, as for a process that it knows to be gone.
    pub fn send(&mut self, to: usize, bytes: &[u8]) -> Result<(), MpiError> {
        self.forget_arrived();
        let mut message = Travelling { request: REQUEST_NULL, bytes: bytes.into(), peer: to };
        let (at, length) = (message.bytes.as_ptr().cast(), message.bytes.len() as c_int);
        // SAFETY: the bytes are on the heap and are kept, unchanged, until the request is complete.
        let code = unsafe {
            (self.functions.send)(at, length, BYTE, to as c_int, TAG, COMM_WORLD, &mut message.request)
        };
        ok("MPI_Isend", code)?;
        self.sent.push(message);
        Ok(())
    }

    /// Returns the next message that has arrived whole, with its sender; does not wait for one.
    ///
    /// # Errors
    /// MPI reports an error about a message.
    pub fn receive(&mut self) -> Result<Option<(usize, Vec<u8>)>, MpiError> {
        let (mut is_there, mut status) = (0, Status::default());
        // SAFETY: both outlive the call, and the status is laid out as in the ABI.
        let code = unsafe { (self.functions.probe)(ANY_SOURCE, TAG, COMM_WORLD, &mut is_there, &mut status) };
        ok("MPI_Iprobe", code)?;
        if is_there != 0 {
            self.take_in(&status)?;
        }
        for at in 0..self.coming.len() {
            if self.is_complete(self.coming[at].request)? {
                let message = self.coming.remove(at);
                return Ok(Some((message.peer, message.bytes.into_vec())));
            }
        }
        Ok(None)
    }

    /// Begins to receive the message that a probe has found.
    fn take_in(&mut self, status: &Status) -> Result<(), MpiError> {
        let mut length = 0;
        // SAFETY: the status is one that a probe filled in.
        ok("MPI_Get_count", unsafe { (self.functions.count)(status, BYTE, &mut length) })?;
        let bytes = vec![0_u8; usize::try_from(length).unwrap_or(0)].into_boxed_slice();
        let mut message =
            Travelling { request: REQUEST_NULL, bytes, peer: usize::try_from(status.source).unwrap_or(0) };
        let at = message.bytes.as_mut_ptr().cast();
        let (from, request) = (status.source, &mut message.request);
        // SAFETY: the bytes are on the heap, as many as the message has, and are kept until the request is complete.
        let code = unsafe { (self.functions.receive)(at, length, BYTE, from, TAG, COMM_WORLD, request) };
        ok("MPI_Irecv", code)?;
        self.coming.push(message);
        Ok(())
    }

    fn is_complete(&self, mut request: Handle) -> Result<bool, MpiError> {
        let (mut is_done, mut status) = (0, Status::default());
        // SAFETY: the request is one that MPI gave and that is not complete yet; complete ones are not kept.
        ok("MPI_Test", unsafe { (self.functions.test)(&mut request, &mut is_done, &mut status) })?;
        Ok(is_done != 0)
    }

    /// Lets go of the messages that have left, and of those to processes that are gone.
    fn forget_arrived(&mut self) {
        for message in std::mem::take(&mut self.sent) {
            match self.is_complete(message.request) {
                Ok(true) => {}
                Ok(false) => self.sent.push(message),
                // MPI may still read them.
                Err(_) => drop(Box::leak(message.bytes)),
            }
        }
    }

    /// Whether messages of this process are still on their way.
    pub fn is_sending(&mut self) -> bool {
        self.forget_arrived();
        !self.sent.is_empty()
    }

    /// Leaves the other processes in good order; waits until all leave.
    pub fn leave(self) {
        // SAFETY: MPI has begun, and this is its last call: `self` is gone after it.
        unsafe { (self.functions.finalize)() };
    }

    /// Ends all processes through their launcher, without waiting for any.
    pub fn end_all(self, code: u8) {
        // SAFETY: MPI has begun. The call does not return, or everything is over all the same.
        unsafe { (self.functions.abort)(COMM_WORLD, c_int::from(code)) };
    }
}

impl Drop for Mpi {
    /// MPI may still write into what is coming and read what was sent, so that these bytes are never given back.
    fn drop(&mut self) {
        self.sent.drain(..).chain(self.coming.drain(..)).for_each(|message| {
            Box::leak(message.bytes);
        });
    }
}

fn ok(function: &'static str, code: c_int) -> Result<(), MpiError> {
    if code == 0 { Ok(()) } else { Err(MpiError::Failed { function, code }) }
}

/// Closes the launcher's descriptors in every program that this process starts.
fn keep_descriptors_from_children() {
    for name in DESCRIPTORS {
        let Some(number) = std::env::var(name).ok().and_then(|number| number.parse::<c_int>().ok()) else {
            continue;
        };
        // SAFETY: the call takes only numbers; a descriptor that is not open is an error without effect.
        unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// What the loader says of its last failure.
fn loader_says() -> String {
    // SAFETY: the text is valid until the next call of the loader by this thread, and is copied before.
    let said = unsafe { libc::dlerror() };
    if said.is_null() {
        return "the loader does not say why".to_owned();
    }
    // SAFETY: a text that is not null ends with a zero byte.
    unsafe { CStr::from_ptr(said) }.to_string_lossy().into_owned()
}

fn load(library: &Path) -> Result<Functions, MpiError> {
    let not_loaded = |why: String| MpiError::NotLoaded { library: library.to_owned(), why };
    let name = CString::new(library.as_os_str().as_bytes())
        .map_err(|_| not_loaded("its name contains a zero byte".to_owned()))?;
    // SAFETY: the name ends with a zero byte. What the library does as it is loaded is the user's choice, who named it or
    // installed it.
    let loaded = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if loaded.is_null() {
        return Err(not_loaded(loader_says()));
    }
    let address = |function: &'static CStr| -> Result<*mut c_void, MpiError> {
        // SAFETY: the library is loaded, and stays so; the name ends with a zero byte.
        let address = unsafe { libc::dlsym(loaded, function.as_ptr()) };
        let name = function.to_str().unwrap_or_default();
        if address.is_null() {
            Err(MpiError::Lacks { library: library.to_owned(), function: name })
        } else {
            Ok(address)
        }
    };
    Functions::at(&address)
}
